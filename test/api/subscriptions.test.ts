/** The subscription branchHead, as docs/subscriptions.md describes it. */
import { describe, expect, test } from 'vitest';
import { openStream } from '../support/server/event-stream.js';
import { save, userMessage } from '../support/chats/operations.js';
import type { Parley } from '../support/server/parley.js';
import { HEAD, mutate, chatOfThree } from './followed-chats.js';

interface Head {
  seq: number;
  branch: { name: string };
  previousHeadId: string | null;
  head: { id: string } | null;
  appended: { id: string }[];
  siblings: { id: string }[];
}

/** An update as seq, branch, previous head, head and appended messages. */
function short(answer: unknown): [number, string, string | null, string | null, string[]] {
  const { data } = answer as { data: { branchHead: Head } };
  const { seq, branch, previousHeadId, head, appended } = data.branchHead;
  return [seq, branch.name, previousHeadId, head?.id ?? null, appended.map(({ id }) => id)];
}

const siblingsOf = (answer: unknown) =>
  (answer as { data: { branchHead: Head } }).data.branchHead.siblings.map(({ id }) => id);

describe('branchHead', () => {
  test('without `after`, the first update is the present head', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, HEAD);
    expect((await stream.take(1)).map(short)).toEqual([[6, 'main', 'c', 'c', []]]);
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

  const cases: [name: string, mutation: string, updates: ReturnType<typeof short>[]][] = [
    [
      'a rewind',
      'rewind(input: { chatId: "c", at: { message: "a" }, branchName: "back" })',
      [[8, 'back', 'c', 'a', []]],
    ],
    ['a restore', 'restoreCheckpoint(input: { chatId: "c", name: "at b" })', [[9, 'main-v2', 'c', 'b', []]]],
    ['a btw, which keeps the active branch', 'btw(input: { chatId: "c" })', []],
    [
      'a switch to a branch that continues this one',
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
    'a switch to a branch that continues this one': async (parley) => {
      await mutate(parley, 'rewind(input: { chatId: "c", at: { message: "c" }, branchName: "ahead" })');
      await save(parley, { chatId: 'c', messages: [userMessage('d'), userMessage('e')] });
      await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    },
    'a switch to a branch elsewhere': async (parley) => {
      await mutate(parley, 'rewind(input: { chatId: "c", at: { message: "a" }, branchName: "elsewhere" })');
      for (const id of ['w', 'v', 'x']) await save(parley, { chatId: 'c', messages: [userMessage(id)] });
      await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    },
  };
  test.each(cases)('%s is reported equally live and on reconnection', async (name, mutation, updates) => {
    const parley = await chatOfThree();
    await before[name]?.(parley);
    const { data } = await parley.ask('{ chat(id: "c") { version } }');
    const { version } = (data as { chat: { version: number } }).chat;
    const live = await openStream(parley, HEAD, { after: version });
    await mutate(parley, mutation);
    const resumed = await openStream(parley, HEAD, { after: version });
    // A last event: earlier ones must have arrived before it.
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

  test('subscribers of a renamed branch receive its new name and further updates', async () => {
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
    await mutate(parley, 'rewind(input: { chatId: "c", at: { message: "a" }, branchName: "main" })');
    const second = await openStream(parley, HEAD, { branch: 'main' });
    await second.take(1);
    await save(parley, { chatId: 'c', branch: 'trunk', messages: [userMessage('d')] });
    await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('e')] });
    expect(short((await first.take(1))[0])).toEqual([10, 'trunk', 'c', 'd', ['d']]);
    const resumed = await openStream(parley, HEAD, { branch: 'main', after: 8 });
    for (const stream of [second, resumed]) {
      expect(short((await stream.take(1))[0])).toEqual([11, 'main', 'a', 'e', ['e']]);
    }
    const resumedBefore = await openStream(parley, HEAD, { branch: 'main', after: 6 });
    expect((await resumedBefore.take(2)).map(short)).toEqual([
      [7, 'trunk', 'c', 'c', []],
      [10, 'trunk', 'c', 'd', ['d']],
    ]);
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
    await mutate(parley, 'rewind(input: { chatId: "c", at: { message: "a" }, branchName: "side" })');
    await mutate(parley, 'switchBranch(input: { chatId: "c", name: "main" })');
    await mutate(parley, 'deleteBranch(input: { chatId: "c", name: "side" })');
    const stream = await openStream(parley, HEAD, { after: 6 });
    expect((await stream.take(1)).map(short)).toEqual([[9, 'main', 'a', 'c', ['b', 'c']]]);
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
