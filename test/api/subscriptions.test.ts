/** Subscriptions as docs/subscriptions.md describes them, sentence by sentence. */
import { describe, expect, test } from 'vitest';
import { openStream } from '../support/server/event-stream.js';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

const EVENTS = `subscription ($chatId: ID! = "c", $after: Int) {
  chatEvents(chatId: $chatId, after: $after) {
    __typename seq chatId actorId
    ... on BranchHeadMoved { headId previousHeadId branch { name } messages { id } }
  }
}`;
const HEAD = `subscription ($chatId: ID! = "c", $branch: String, $after: Int) {
  branchHead(chatId: $chatId, branch: $branch, after: $after) {
    seq branch { name } previousHeadId head { id } appended { id } siblings { id }
  }
}`;

interface Head {
  seq: number;
  branch: { name: string };
  previousHeadId: string | null;
  head: { id: string } | null;
  appended: { id: string }[];
  siblings: { id: string }[];
}

/** An update in short: seq, branch, where from, where to, and what was appended. */
function short(answer: unknown): [number, string, string | null, string | null, string[]] {
  const { data } = answer as { data: { branchHead: Head } };
  const { seq, branch, previousHeadId, head, appended } = data.branchHead;
  return [seq, branch.name, previousHeadId, head?.id ?? null, appended.map(({ id }) => id)];
}

const siblingsOf = (answer: unknown) =>
  (answer as { data: { branchHead: Head } }).data.branchHead.siblings.map(({ id }) => id);

const seqOf = (answer: unknown) => Object.values((answer as { data: Record<string, { seq: number }> }).data)[0]!.seq;

async function mutate(parley: Parley, mutation: string): Promise<void> {
  const answer = await parley.ask(`mutation { ${mutation} { __typename ... on Error { message } } }`);
  expect(JSON.stringify(answer)).not.toContain('message');
}

/** A chat with messages a, b and c on main, at version 6. */
async function chatOfThree(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  for (const id of ['a', 'b', 'c']) await save(parley, { chatId: 'c', messages: [userMessage(id)] });
  return parley;
}

describe('chatEvents', () => {
  test('a client that passes its last seq as after gets every later event, first past ones, then new ones', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, EVENTS, { after: 4 });
    const past = await stream.take(2);
    await save(parley, { chatId: 'c', messages: [userMessage('d')] });
    const [present] = await stream.take(1);
    expect([...past, present].map(seqOf)).toEqual([5, 6, 7]);
    expect(present).toEqual({
      data: {
        chatEvents: {
          __typename: 'BranchHeadMoved',
          seq: 7,
          chatId: 'c',
          actorId: 'local',
          headId: 'd',
          previousHeadId: 'c',
          branch: { name: 'main' },
          messages: [{ id: 'd' }],
        },
      },
    });
  });

  test('after: 0 sends the whole log; without after only new events are sent', async () => {
    const parley = await chatOfThree();
    const whole = await openStream(parley, EVENTS, { after: 0 });
    const fromNow = await openStream(parley, EVENTS);
    await mutate(parley, 'updateChat(input: { id: "c", title: "x" })');
    expect((await whole.take(7)).map(seqOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await fromNow.take(1)).map(seqOf)).toEqual([7]);
  });

  test('reads a log of several pages', async () => {
    const parley = await openParley({ limits: { maxRootFields: 100, maxAliases: 100 } });
    await createChat(parley, 'c');
    // As many as are read at once, twice.
    const CHANGES = 1000;
    const change = (n: number) => `_${n}: updateChat(input: { id: "c", title: "${n}" }) { __typename }`;
    for (let n = 0; n < CHANGES; n += 100) {
      await parley.ask(`mutation { ${Array.from({ length: 100 }, (_, more) => change(n + more)).join(' ')} }`);
    }
    const stream = await openStream(parley, 'subscription { chatEvents(chatId: "c", after: 0) { seq } }');
    const seqs = (await stream.take(3 + CHANGES)).map(seqOf);
    expect(seqs).toEqual(seqs.map((_, n) => n + 1));
  });

  test.each([
    [{ chatId: 'nowhere' }, 'NOT_FOUND', 'Chat "nowhere" not found'],
    [{ chatId: 'nowhere', after: 1 }, 'NOT_FOUND', 'Chat "nowhere" not found'],
    [{ chatId: '' }, 'NOT_FOUND', 'Chat "" not found'],
    [{ after: -1 }, 'BAD_USER_INPUT', 'after must not be negative: -1'],
    [{ after: 7 }, 'BAD_USER_INPUT', 'after is 7, but the newest event of chat "c" is 6'],
  ])('answers %j with %s', async (variables, code, message) => {
    const parley = await chatOfThree();
    for (const document of [EVENTS, HEAD]) {
      const stream = await openStream(parley, document, variables);
      expect(await stream.rest()).toMatchObject([{ errors: [{ message, extensions: { code } }] }]);
    }
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });
});

describe('branchHead', () => {
  test('without after the first update is the present head', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, HEAD);
    expect((await stream.take(1)).map(short)).toEqual([[6, 'main', 'c', 'c', []]]);
  });

  test('an empty branch has no head', async () => {
    const parley = await openParley();
    await createChat(parley, 'c');
    const stream = await openStream(parley, HEAD);
    await save(parley, { chatId: 'c', messages: [userMessage('a'), userMessage('b')] });
    expect((await stream.take(2)).map(short)).toEqual([
      [3, 'main', null, null, []],
      [4, 'main', null, 'b', ['a', 'b']],
    ]);
  });

  test('every move of the head is an update', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, HEAD, { after: 4 });
    await save(parley, { chatId: 'c', messages: [userMessage('d'), userMessage('e')] });
    await mutate(parley, 'createCheckpoint(input: { chatId: "c", name: "x" })');
    await save(parley, { chatId: 'c', messages: [userMessage('f')] });
    expect((await stream.take(4)).map(short)).toEqual([
      [5, 'main', 'a', 'b', ['b']],
      [6, 'main', 'b', 'c', ['c']],
      [7, 'main', 'c', 'e', ['d', 'e']],
      [9, 'main', 'e', 'f', ['f']],
    ]);
  });

  const told: [name: string, mutation: string, updates: ReturnType<typeof short>[]][] = [
    ['a rewind', 'rewind(input: { chatId: "c", messageId: "a", branchName: "back" })', [[8, 'back', 'c', 'a', []]]],
    ['a restore', 'restoreCheckpoint(input: { chatId: "c", name: "at b" })', [[9, 'main-v2', 'c', 'b', []]]],
    ['a btw, which leaves the active branch as it is', 'btw(input: { chatId: "c" })', []],
    [
      'a switch to a branch that runs on from here',
      'switchBranch(input: { chatId: "c", name: "ahead" })',
      [[11, 'ahead', 'c', 'e', ['d', 'e']]],
    ],
    [
      'a switch to a branch elsewhere',
      'switchBranch(input: { chatId: "c", name: "elsewhere" })',
      [[13, 'elsewhere', 'c', 'x', []]],
    ],
  ];
  const before: Record<string, (parley: Parley) => Promise<void>> = {
    'a restore': (parley) => mutate(parley, 'createCheckpoint(input: { chatId: "c", name: "at b", messageId: "b" })'),
    'a switch to a branch that runs on from here': async (parley) => {
      await mutate(parley, 'rewind(input: { chatId: "c", messageId: "c", branchName: "ahead" })');
      await save(parley, { chatId: 'c', messages: [userMessage('d'), userMessage('e')] });
      await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    },
    'a switch to a branch elsewhere': async (parley) => {
      await mutate(parley, 'rewind(input: { chatId: "c", messageId: "a", branchName: "elsewhere" })');
      for (const id of ['w', 'v', 'x']) await save(parley, { chatId: 'c', messages: [userMessage(id)] });
      await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    },
  };
  test.each(told)('%s is reported alike, live and afterwards', async (name, mutation, updates) => {
    const parley = await chatOfThree();
    await before[name]?.(parley);
    const { data } = await parley.ask('{ chat(id: "c") { version } }');
    const { version } = (data as { chat: { version: number } }).chat;
    const live = await openStream(parley, HEAD, { after: version });
    await mutate(parley, mutation);
    const resumed = await openStream(parley, HEAD, { after: version });
    // An event that certainly arrives, so that no earlier one can be missing.
    await mutate(
      parley,
      'saveMessages(input: { chatId: "c", messages: [{ id: "last", name: "user", content: { text: "x" } }] })',
    );
    for (const stream of [live, resumed]) {
      const all = (await stream.take(updates.length + 1)).map(short);
      expect(all.slice(0, -1)).toEqual(updates);
      expect(all.at(-1)![3]).toBe('last');
    }
  });

  test('an edit is one update with all versions of the message', async () => {
    const parley = await chatOfThree();
    const live = await openStream(parley, HEAD, { after: 6 });
    await mutate(parley, 'editMessage(input: { chatId: "c", messageId: "b", id: "y", content: { text: "y" } })');
    await save(parley, { chatId: 'c', messages: [userMessage('z')] });
    const resumed = await openStream(parley, HEAD, { after: 6 });
    for (const stream of [live, resumed]) {
      const answers = await stream.take(2);
      expect(answers.map(short)).toEqual([
        [9, 'main-v2', 'c', 'y', []],
        [10, 'main-v2', 'y', 'z', ['z']],
      ]);
      expect(answers.map(siblingsOf)).toEqual([['b', 'y'], []]);
    }
  });

  test('another answer is one update, too', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, HEAD, { after: 6 });
    await save(parley, { chatId: 'c', parentId: 'b', messages: [userMessage('d'), userMessage('e')] });
    const [answer] = await stream.take(1);
    expect(short(answer)).toEqual([9, 'main-v2', 'c', 'e', []]);
    expect(siblingsOf(answer)).toEqual(['c', 'd']);
  });

  test('a renamed branch is still followed, and its subscribers get its new name', async () => {
    const parley = await chatOfThree();
    const live = await openStream(parley, HEAD, { branch: 'main' });
    const active = await openStream(parley, HEAD);
    await live.take(1);
    await active.take(1);
    await mutate(parley, 'renameBranch(input: { chatId: "c", name: "main", newName: "trunk" })');
    await mutate(parley, 'btw(input: { chatId: "c", branchName: "main" })');
    await save(parley, { chatId: 'c', messages: [userMessage('d')] });
    const resumed = await openStream(parley, HEAD, { branch: 'main', after: 6 });
    for (const stream of [live, active, resumed]) {
      expect((await stream.take(2)).map(short)).toEqual([
        [7, 'trunk', 'c', 'c', []],
        [9, 'trunk', 'c', 'd', ['d']],
      ]);
    }
  });

  test('subscribers of two successive branches with one name get updates of their own branch', async () => {
    const parley = await chatOfThree();
    const first = await openStream(parley, HEAD, { branch: 'main' });
    await first.take(1);
    await mutate(parley, 'renameBranch(input: { chatId: "c", name: "main", newName: "trunk" })');
    await first.take(1);
    await mutate(parley, 'rewind(input: { chatId: "c", messageId: "a", branchName: "main" })');
    const second = await openStream(parley, HEAD, { branch: 'main' });
    await second.take(1);
    await save(parley, { chatId: 'c', branch: 'trunk', messages: [userMessage('d')] });
    await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('e')] });
    expect(short((await first.take(1))[0])).toEqual([10, 'trunk', 'c', 'd', ['d']]);
    expect(short((await second.take(1))[0])).toEqual([11, 'main', 'a', 'e', ['e']]);
  });

  test('a deleted branch ends with NOT_FOUND for its own subscribers only', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'btw(input: { chatId: "c", branchName: "side" })');
    const live = await openStream(parley, HEAD, { branch: 'side' });
    const active = await openStream(parley, HEAD);
    await live.take(1);
    await active.take(1);
    await save(parley, { chatId: 'c', branch: 'side', messages: [userMessage('s')] });
    await live.take(1);
    await mutate(parley, 'deleteBranch(input: { chatId: "c", name: "side" })');
    await save(parley, { chatId: 'c', messages: [userMessage('d')] });
    const away = await openStream(parley, HEAD, { branch: 'side', after: 8 });
    // Server-Sent Events have no close reason: the next connection receives it.
    await expect(live.rest()).rejects.toThrow('cut off');
    expect(await away.rest()).toMatchObject([
      { errors: [{ message: 'Branch "side" of chat "c" was deleted', extensions: { code: 'NOT_FOUND' } }] },
    ]);
    expect((await active.take(1)).map(short)).toEqual([[10, 'main', 'c', 'd', ['d']]]);
  });

  test('an update of a deleted branch is left out, and the next one continues from its head', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'rewind(input: { chatId: "c", messageId: "a", branchName: "side" })');
    await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    await mutate(parley, 'deleteBranch(input: { chatId: "c", name: "side" })');
    const stream = await openStream(parley, HEAD, { after: 6 });
    expect((await stream.take(1)).map(short)).toEqual([[9, 'main', 'a', 'c', ['b', 'c']]]);
  });

  test('a named branch is followed alone, from its start', async () => {
    const parley = await chatOfThree();
    const main = await openStream(parley, HEAD, { branch: 'main' });
    await mutate(parley, 'rewind(input: { chatId: "c", messageId: "b", branchName: "side" })');
    await save(parley, { chatId: 'c', messages: [userMessage('s')] });
    await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    await save(parley, { chatId: 'c', messages: [userMessage('d')] });
    expect((await main.take(2)).map(short)).toEqual([
      [6, 'main', 'c', 'c', []],
      [11, 'main', 'c', 'd', ['d']],
    ]);
    const side = await openStream(parley, HEAD, { branch: 'side', after: 0 });
    expect((await side.take(2)).map(short)).toEqual([
      [7, 'side', null, 'b', ['a', 'b']],
      [9, 'side', 'b', 's', ['s']],
    ]);
  });

  test('a missing branch is NOT_FOUND', async () => {
    const parley = await chatOfThree();
    for (const branch of ['nope', '', 'nope ']) {
      for (const after of [undefined, 3]) {
        const stream = await openStream(parley, HEAD, { branch, after });
        expect(await stream.rest()).toMatchObject([
          { errors: [{ message: `Branch "${branch}" not found in chat "c"`, extensions: { code: 'NOT_FOUND' } }] },
        ]);
      }
    }
  });
});

describe('a deleted chat', () => {
  const remove = (parley: Parley) => mutate(parley, 'deleteChat(input: { id: "c" })');
  const deleted = { data: { chatEvents: { __typename: 'ChatDeleted', seq: 7, chatId: 'c', actorId: 'local' } } };

  test('ChatDeleted is the last event, and the subscription completes; a branchHead just completes', async () => {
    const parley = await chatOfThree();
    const events = await openStream(parley, EVENTS, { after: 5 });
    const head = await openStream(parley, HEAD);
    await Promise.all([events.take(1), head.take(1)]);
    await remove(parley);
    expect(await events.rest()).toEqual([deleted]);
    expect(await head.rest()).toEqual([]);
  });

  test('a reconnecting client with an after from before the deletion gets ChatDeleted', async () => {
    const parley = await chatOfThree();
    await remove(parley);
    for (const after of [0, 5, 6]) {
      expect(await (await openStream(parley, EVENTS, { after })).rest()).toEqual([deleted]);
      expect(await (await openStream(parley, HEAD, { after })).rest()).toEqual([]);
    }
  });

  test('with a later after, or without one, the chat is NOT_FOUND', async () => {
    const parley = await chatOfThree();
    await remove(parley);
    for (const after of [undefined, 7, 8]) {
      const answers = await (await openStream(parley, EVENTS, { after })).rest();
      expect(answers).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND' } }] }]);
    }
  });

  test('a reused id starts a new log, after subscribers of the old one got its deletion', async () => {
    const parley = await chatOfThree();
    const old = await openStream(parley, EVENTS, { after: 6 });
    await remove(parley);
    await createChat(parley, 'c');
    for (let n = 0; n < 10; n++) await save(parley, { chatId: 'c', messages: [userMessage(`n${n}`)] });
    expect(await old.rest()).toEqual([deleted]);
    const anew = await openStream(parley, EVENTS, { after: 0 });
    expect((await anew.take(13)).map(seqOf)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
    await remove(parley);
    expect((await anew.rest()).map(seqOf)).toEqual([14]);
  });
});
