/** Messages that are being written: what may be done with them, and what becomes of them. */
import { describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';

type Fields = Record<string, unknown>;

const PATH = '... on InvalidInputError { path }';
const DRAFT = `${PATH} ... on DraftOffsetError { length } ... on DraftPayload { draft {
  id branch { name } parent { id } name metadata length state startedBy text
} }`;
const SAVED = `${PATH} ... on SaveMessagesPayload {
  branched branch { name isActive messageCount } messages { id parentId name type data }
}`;
const INPUTS: Record<string, [input: string, selection: string]> = {
  startDraft: ['StartDraftInput', DRAFT],
  appendToDraft: ['AppendToDraftInput', DRAFT],
  finishDraft: ['FinishDraftInput', SAVED],
  stopDraft: ['DraftInput', DRAFT],
  discardDraft: ['DraftInput', '... on DiscardDraftPayload { chat { id } discardedDraftId }'],
  saveMessages: ['SaveMessagesInput', SAVED],
};

/** What a mutation answers. */
async function mutate(parley: Pick<Parley, 'ask'>, field: string, input: Fields = {}): Promise<Fields> {
  const [type, selection] = INPUTS[field]!;
  const { data, errors } = await parley.ask(
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ... on Error { code message } ${selection} } }`,
    { input: { chatId: 'c', ...input } },
  );
  expect(errors).toBeUndefined();
  return (data as Record<string, Fields>)[field]!;
}

/** A chat with messages a, b and c on main. */
async function chatOfThree(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['a', 'b', 'c'].map((id) => userMessage(id)) });
  return parley;
}

const append = (parley: Parley, offset: number, ...chunks: unknown[]) =>
  mutate(parley, 'appendToDraft', { id: 'd', offset, chunks });

async function draftsOf(parley: Parley): Promise<Fields[]> {
  const { data } = await parley.ask('{ chat(id: "c") { drafts { id length state text chunks } } }');
  return (data as { chat: { drafts: Fields[] } }).chat.drafts;
}

describe('A draft', () => {
  test('starts after the head of the active branch, grows, and becomes the message with its id', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', metadata: { model: 'x' } })).toEqual({
      __typename: 'DraftPayload',
      draft: {
        id: 'd',
        branch: { name: 'main' },
        parent: { id: 'c' },
        name: 'assistant',
        metadata: { model: 'x' },
        length: 0,
        state: 'WRITING',
        startedBy: 'local',
        text: '',
      },
    });
    await append(parley, 0, 'Hel', { type: 'text-delta', id: '0', delta: 'lo' });
    expect(await append(parley, 2, { type: 'finish' }, ' there')).toMatchObject({
      draft: { length: 4, text: 'Hello there' },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toEqual({
      __typename: 'SaveMessagesPayload',
      branched: false,
      branch: { name: 'main', isActive: true, messageCount: 4 },
      messages: [
        {
          id: 'd',
          parentId: 'c',
          name: 'assistant',
          type: 'message',
          data: {
            id: 'd',
            role: 'assistant',
            metadata: { model: 'x' },
            parts: [{ type: 'text', text: 'Hello there' }],
          },
        },
      ],
    });
    expect(await draftsOf(parley)).toEqual([]);
  });

  test('is in no list of messages, in no search, no context and no log until it is finished', async () => {
    const parley = await chatOfThree();
    const look = async () =>
      parley.ask(
        `{ chat(id: "c") {
          version messageCount latestLeaf { id } events(last: 1) { edges { cursor } } graph { nodes { id } }
          activeBranch { head { id } context(input: {}) { systemPrompt messages } } search(query: "zebra") { edges { node { rank } } }
        } }`,
      );
    const before = await look();
    expect(before.errors).toBeUndefined();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'zebra');
    expect(await look()).toEqual(before);
  });

  test('is saved with content given instead of its text', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'half');
    const data = { id: 'd', role: 'assistant', parts: [{ type: 'text', text: 'whole' }] };
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { data } })).toMatchObject({
      messages: [{ data }],
    });
  });

  test('is finished once for any number of requests', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'once');
    const first = await mutate(parley, 'finishDraft', { id: 'd' });
    await save(parley, { chatId: 'c', messages: [userMessage('later')] });
    const again = await mutate(parley, 'finishDraft', { id: 'd' });
    expect(again['messages']).toEqual(first['messages']);
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'other' } })).toMatchObject({
      __typename: 'AlreadyExistsError',
    });
    const { data } = await parley.ask('{ chat(id: "c") { messageCount branches { totalCount } } }');
    expect(data).toEqual({ chat: { messageCount: 5, branches: { totalCount: 1 } } });
  });

  test('is finished when its message was saved in another way', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'same');
    await mutate(parley, 'saveMessages', { messages: [{ id: 'd', name: 'assistant', content: { text: 'same' } }] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: false,
      messages: [{ id: 'd' }],
    });
    expect(await draftsOf(parley)).toEqual([]);
  });

  test('starts once: a retry returns it, and another draft with its id is refused', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    expect(await mutate(parley, 'startDraft', { id: 'd' })).toMatchObject({ draft: { length: 1 } });
    expect(await mutate(parley, 'startDraft', { id: 'd', name: 'tool' })).toEqual({
      __typename: 'AlreadyExistsError',
      code: 'ALREADY_EXISTS',
      message: 'Draft "d" already exists',
    });
    expect(await mutate(parley, 'startDraft', { id: 'c' })).toMatchObject({ message: 'Message "c" already exists' });
  });
});

describe('The offset of an append', () => {
  test('makes a retry change nothing, and a longer one append its new chunks', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a', 'b');
    expect(await append(parley, 0, 'a', 'b')).toMatchObject({ draft: { length: 2, text: 'ab' } });
    expect(await append(parley, 1, 'b', 'c')).toMatchObject({ draft: { length: 3, text: 'abc' } });
  });

  test('is refused with the present length when it leaves a gap', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a');
    expect(await append(parley, 3, 'd')).toEqual({
      __typename: 'DraftOffsetError',
      code: 'INVALID_INPUT',
      message: 'offset is 3, but the draft has 1 chunk',
      length: 1,
    });
    expect(await append(parley, -1, 'd')).toMatchObject({ __typename: 'InvalidInputError', path: 'offset' });
  });
});

describe('The place of a draft', () => {
  test('a moved branch gets a fork, so that the answer is not lost', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: false },
      messages: [{ parentId: 'c' }],
    });
  });

  test('with APPEND it follows the newer messages', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', onConflict: 'APPEND' });
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: false,
      messages: [{ parentId: 'e' }],
    });
  });

  test('with REJECT it stays a draft', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', onConflict: 'REJECT' });
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ __typename: 'HeadConflictError' });
    expect(await draftsOf(parley)).toMatchObject([{ id: 'd', text: 'x' }]);
  });

  test('expectedHeadId is checked at the start', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', expectedHeadId: 'b', onConflict: 'REJECT' })).toMatchObject({
      __typename: 'HeadConflictError',
    });
    expect(await mutate(parley, 'startDraft', { id: 'd', expectedHeadId: 'b' })).toMatchObject({
      draft: { parent: { id: 'b' } },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'b' }],
    });
  });

  test('parentId adds another answer', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', parentId: 'a' })).toMatchObject({
      draft: { parent: { id: 'a' } },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'a' }],
    });
    expect(await mutate(parley, 'startDraft', { parentId: 'a', expectedHeadId: 'b' })).toMatchObject({
      path: 'parentId',
    });
    expect(await mutate(parley, 'startDraft', { parentId: 'nobody' })).toMatchObject({
      message: 'Message "nobody" not found',
    });
  });

  test('a deleted branch is replaced by a new one', async () => {
    const parley = await chatOfThree();
    await parley.ask('mutation { rewind(input: { chatId: "c", messageId: "b", branchName: "side" }) { __typename } }');
    await mutate(parley, 'startDraft', { id: 'd', branch: 'side' });
    await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
    await parley.ask('mutation { deleteBranch(input: { chatId: "c", name: "side" }) { __typename } }');
    const { data } = await parley.ask('{ chat(id: "c") { drafts { branch { name } } } }');
    expect(data).toEqual({ chat: { drafts: [{ branch: { name: 'main' } }] } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'b' }],
    });
  });
});

/** The branches and the drafts of the chat: an active branch has an asterisk, and each its head. */
async function branchesOf(parley: Parley): Promise<string[]> {
  const { data } = await parley.ask('{ chat(id: "c") { branches { edges { node { name isActive head { id } } } } } }');
  type Edge = { node: { name: string; isActive: boolean; head: { id: string } | null } };
  const { edges } = (data as { chat: { branches: { edges: Edge[] } } }).chat.branches;
  return edges.map(({ node }) => `${node.name}${node.isActive ? '*' : ''} ${node.head?.id}`).toSorted();
}
const change = async (parley: Parley, field: string, input: string) =>
  expect(await parley.ask(`mutation { ${field}(input: { chatId: "c", ${input} }) { __typename } }`)).not.toHaveProperty(
    'errors',
  );

describe('A draft with a parent that is not the head', () => {
  const START = { type: 'start', messageId: 'd' };
  const begin = async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', parentId: 'b' });
    return parley;
  };

  test('moves the active branch with its first content', async () => {
    const parley = await begin();
    expect(await append(parley, 0, START, '', { type: 'text-start', id: '0' })).toMatchObject({
      draft: { branch: { name: 'main' }, length: 3 },
    });
    expect(await branchesOf(parley)).toEqual(['main* c']);
    const version = async () => (await parley.ask('{ chat(id: "c") { version } }')).data;
    const first = await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' });
    expect(first).toMatchObject({ draft: { branch: { name: 'main-v2' }, parent: { id: 'b' }, length: 4, text: 'x' } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
    const before = await version();
    expect(await append(parley, 3, { type: 'text-delta', id: '0', delta: 'x' })).toEqual(first);
    await append(parley, 4, 'y');
    expect(await version()).toEqual(before);
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
      messages: [{ id: 'd', parentId: 'b', data: { parts: [{ text: 'xy' }] } }],
    });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* d']);
  });

  test.each<[content: unknown, moves: boolean]>([
    ['x', true],
    ['', false],
    [{ type: 'tool-input-start', toolCallId: 't' }, true],
    [{ data: 'of a protocol of its own' }, true],
    [{ type: 'finish' }, false],
    [{ type: 'reasoning-start', id: '0' }, false],
    [{ type: 'error', errorText: 'no model' }, false],
    [1, false],
  ])('with the content %j: %j', async (content, moves) => {
    const parley = await begin();
    await append(parley, 0, content);
    expect(await branchesOf(parley)).toEqual(moves ? ['main c', 'main-v2* b'] : ['main* c']);
  });

  test('moves it at its end without earlier content', async () => {
    const parley = await begin();
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'x' } })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
    });
  });

  test.each([
    ['switched', (parley: Parley) => change(parley, 'rewind', 'messageId: "a", branchName: "side"'), ['side* a']],
    ['grown', (parley: Parley) => save(parley, { chatId: 'c', messages: [userMessage('e')] }), ['main* e']],
  ])('leaves an active branch that was %s before its first content', async (_how, navigate, active) => {
    const parley = await begin();
    await navigate(parley);
    await append(parley, 0, 'x');
    const branches = await branchesOf(parley);
    expect(branches).toEqual(expect.arrayContaining(active));
    // Also after the page has returned: the decision is made once.
    await change(parley, 'switchBranch', 'name: "main"');
    const saved = await mutate(parley, 'finishDraft', { id: 'd' });
    const own = saved['branch'] as { name: string };
    expect(saved).toMatchObject({ branched: true, branch: { isActive: false }, messages: [{ parentId: 'b' }] });
    expect((await branchesOf(parley)).filter((branch) => !branches.includes(branch))).toContain(`${own.name} d`);
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ branch: { name: own.name } });
  });

  test('leaves an active branch that was switched before its end without content', async () => {
    const parley = await begin();
    await change(parley, 'rewind', 'messageId: "a", branchName: "side"');
    await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'x' } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2 d', 'side* a']);
  });

  test('is saved on its branch and moves nothing after a switch', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await change(parley, 'switchBranch', 'name: "main"');
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: false, messageCount: 3 },
    });
    expect(await branchesOf(parley)).toEqual(['main* c', 'main-v2 d']);
  });

  test('gets another, inactive branch when its own has grown', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ branch: { isActive: false } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* e', 'main-v2-v2 d']);
  });

  test('moves the active branch only for the first of two drafts', async () => {
    const parley = await begin();
    await mutate(parley, 'startDraft', { id: 'e', parentId: 'b' });
    await append(parley, 0, 'x');
    await mutate(parley, 'appendToDraft', { id: 'e', offset: 0, chunks: ['y'] });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
    await mutate(parley, 'finishDraft', { id: 'e' });
    await mutate(parley, 'finishDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* d', 'main-v3 e']);
  });

  test('has one branch after concurrent first appends on two servers', async () => {
    const parley = await begin();
    const second = await openParley({ databaseUrl: parley.databaseUrl });
    const answers = await Promise.all([parley, second, parley, second].map((each) => append(each, 0, 'x', 'y')));
    const draft = { branch: { name: 'main-v2' }, length: 2, text: 'xy' };
    expect(answers).toMatchObject(answers.map(() => ({ draft })));
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* b']);
  });

  test('is a normal answer when its parent is the head of its branch', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', parentId: 'c' });
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { branch: { name: 'main' } } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: false,
      branch: { name: 'main', isActive: true },
    });
  });

  test('moves the active branch when its first branch was deleted', async () => {
    const parley = await chatOfThree();
    await change(parley, 'btw', 'messageId: "b", branchName: "side"');
    await mutate(parley, 'startDraft', { id: 'd', branch: 'side', parentId: 'a' });
    await change(parley, 'deleteBranch', 'name: "side"');
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { branch: { name: 'main-v2' } } });
    expect(await branchesOf(parley)).toEqual(['main c', 'main-v2* a']);
  });

  test('leaves no trace when discarded before its first content', async () => {
    const parley = await begin();
    await append(parley, 0, START, { type: 'error', errorText: 'no model' });
    await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main* c']);
  });

  test('returns to the previous branch and deletes its own when discarded later', async () => {
    const parley = await begin();
    await append(parley, 0, 'x');
    for (let n = 0; n < 2; n++) await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main* c']);
    const { data } = await parley.ask('{ chat(id: "c") { events(last: 4) { edges { node { __typename } } } } }');
    const types = ['BranchCreated', 'BranchActivated', 'BranchActivated', 'BranchDeleted'];
    expect(data).toEqual({
      chat: { events: { edges: types.map((type) => ({ node: { __typename: type } })) } },
    });
  });

  test.each<[what: string, work: (parley: Parley) => Promise<unknown>, left: string[]]>([
    ['the active branch', (parley) => change(parley, 'switchBranch', 'name: "main"'), ['main* c', 'main-v2 b']],
    [
      'its own branch',
      (parley) => save(parley, { chatId: 'c', messages: [userMessage('e')] }),
      ['main c', 'main-v2* e'],
    ],
    [
      'the branch before',
      (parley) =>
        mutate(parley, 'saveMessages', {
          branch: 'main',
          messages: [{ id: 'e', name: 'user', content: { text: 'e' } }],
        }),
      ['main e', 'main-v2* b'],
    ],
    ['the drafts of its branch', (parley) => mutate(parley, 'startDraft', { id: 'e' }), ['main c', 'main-v2* b']],
  ])('discarded after a change of %s, leaves the branches', async (_what, work, left) => {
    const parley = await begin();
    await append(parley, 0, 'x');
    await work(parley);
    await mutate(parley, 'discardDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(left);
  });
});

describe('A fork for a draft', () => {
  test('is active when the active branch and its head are the same as at the start', async () => {
    const parley = await chatOfThree();
    await change(parley, 'btw', 'messageId: "b", branchName: "side"');
    await mutate(parley, 'startDraft', { id: 'd', branch: 'side' });
    await mutate(parley, 'saveMessages', {
      branch: 'side',
      messages: [{ id: 'e', name: 'user', content: { text: 'e' } }],
    });
    await append(parley, 0, 'x');
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { isActive: true },
      messages: [{ parentId: 'b' }],
    });
  });

  test('is active for a draft of an older version', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', parentId: 'a' });
    await (
      await rawDatabase(parley.databaseUrl)
    ).run('UPDATE drafts SET "activation" = NULL, "requestedBranchId" = NULL, "requestedHeadId" = NULL');
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await branchesOf(parley)).toEqual(['main* e']);
    await mutate(parley, 'finishDraft', { id: 'd' });
    expect(await branchesOf(parley)).toEqual(['main e', 'main-v2* d']);
  });
});

describe('An append without chunks', () => {
  const updatedAt = async (parley: Parley) => {
    const { data } = await parley.ask('{ chat(id: "c") { drafts { updatedAt state } } }');
    const [draft] = (data as { chat: { drafts: { updatedAt: string; state: string }[] } }).chat.drafts;
    return { at: Date.parse(draft!.updatedAt), state: draft!.state };
  };
  const age = async (parley: Parley, ms: number) =>
    (await rawDatabase(parley.databaseUrl)).run(`UPDATE drafts SET "updatedAt" = "updatedAt" - ${ms}`);

  test('renews updatedAt and continues an abandoned draft', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', parentId: 'a' });
    await append(parley, 0, { type: 'start' });
    for (const ms of [30_000, 61_000]) {
      await age(parley, ms);
      const before = await updatedAt(parley);
      expect(before.state).toBe(ms > 60_000 ? 'ABANDONED' : 'WRITING');
      expect(await append(parley, 1)).toMatchObject({ draft: { length: 1, state: 'WRITING' } });
      expect((await updatedAt(parley)).at).toBeGreaterThanOrEqual(before.at + ms);
    }
    expect(await branchesOf(parley)).toEqual(['main* c']);
  });

  test('at another offset changes nothing', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a', 'b');
    await age(parley, 30_000);
    const before = await updatedAt(parley);
    expect(await append(parley, 1)).toMatchObject({ draft: { length: 2 } });
    expect(await append(parley, 3)).toMatchObject({ __typename: 'DraftOffsetError', length: 2 });
    expect(await updatedAt(parley)).toEqual(before);
  });

  test('reports a requested stop to the writer', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await mutate(parley, 'stopDraft', { id: 'd' });
    expect(await append(parley, 0)).toMatchObject({ draft: { state: 'STOPPING' } });
  });
});

describe('The end of a draft', () => {
  test.each<[metadata: unknown, saved: unknown]>([
    [undefined, { status: 'incomplete' }],
    [{ model: 'x' }, { model: 'x', status: 'incomplete' }],
    ['note', { metadata: 'note', status: 'incomplete' }],
  ])(
    'marks the joined text of a stopped or abandoned draft with metadata %j as incomplete',
    async (metadata, saved) => {
      for (const state of ['STOPPING', 'ABANDONED']) {
        const parley = await chatOfThree();
        await mutate(parley, 'startDraft', { id: 'd', metadata });
        await append(parley, 0, 'half');
        if (state === 'STOPPING') await mutate(parley, 'stopDraft', { id: 'd' });
        else await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
        const first = await mutate(parley, 'finishDraft', { id: 'd' });
        expect(first).toMatchObject({
          messages: [{ data: { metadata: saved, parts: [{ type: 'text', text: 'half' }] } }],
        });
        expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ messages: first['messages'] });
      }
    },
  );

  test('keeps the content given by the writer of a stopped draft', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await mutate(parley, 'stopDraft', { id: 'd' });
    const data = { id: 'd', role: 'assistant', parts: [{ type: 'text', text: 'whole' }] };
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { data } })).toMatchObject({ messages: [{ data }] });
  });

  test('the next append reports a requested stop to the writer', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    expect(await mutate(parley, 'stopDraft', { id: 'd' })).toMatchObject({ draft: { state: 'STOPPING' } });
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { state: 'STOPPING', length: 1 } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ messages: [{ id: 'd' }] });
  });

  test('a discarded draft leaves nothing, and its id can be reused', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    const gone = { __typename: 'DiscardDraftPayload', chat: { id: 'c' }, discardedDraftId: 'd' };
    expect(await mutate(parley, 'discardDraft', { id: 'd' })).toEqual(gone);
    expect(await mutate(parley, 'discardDraft', { id: 'd' })).toEqual(gone);
    for (const field of ['finishDraft', 'stopDraft']) {
      expect(await mutate(parley, field, { id: 'd' })).toMatchObject({
        __typename: 'NotFoundError',
        message: 'Draft "d" not found in chat "c"',
      });
    }
    expect(await append(parley, 1, 'y')).toMatchObject({ __typename: 'NotFoundError' });
    expect(await mutate(parley, 'startDraft', { id: 'd' })).toMatchObject({ draft: { length: 0 } });
    expect(await append(parley, 0, 'new')).toMatchObject({ draft: { text: 'new' } });
  });

  test('a finished draft can neither grow nor be stopped or discarded', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await mutate(parley, 'finishDraft', { id: 'd' });
    for (const field of ['stopDraft', 'discardDraft']) {
      expect(await mutate(parley, field, { id: 'd' })).toMatchObject({ __typename: 'NotFoundError' });
    }
    expect(await append(parley, 0, 'y')).toMatchObject({ __typename: 'NotFoundError' });
    expect(await mutate(parley, 'startDraft', { id: 'd' })).toMatchObject({ message: 'Message "d" already exists' });
  });
});

describe('The bounds of drafts', () => {
  test.each([
    [{ chunks: Array.from({ length: 501 }, () => 'x') }, 'chunks must have 0 to 500 elements, not 501'],
    [
      { chunks: ['x'.repeat(262_142)] },
      'chunks must have at most 262144 bytes as JSON, not 262145: send them in several appends',
    ],
    [{ chunks: ['a\u0000'] }, 'chunks.0 must not contain U+0000'],
  ])('an append %# is refused', async ({ chunks }, message) => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    expect(await append(parley, 0, ...chunks)).toMatchObject({
      __typename: 'InvalidInputError',
      message,
    });
    expect(await draftsOf(parley)).toMatchObject([{ length: 0 }]);
  });

  test('a chat has at most 8 drafts at a time', async () => {
    const parley = await chatOfThree();
    for (let n = 0; n < 8; n++) await mutate(parley, 'startDraft', { id: `d${n}` });
    expect(await mutate(parley, 'startDraft', { id: 'd8' })).toEqual({
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      path: 'chatId',
      message: 'chatId: chat "c" has 8 drafts, the maximum: finish or discard one',
    });
    await mutate(parley, 'discardDraft', { id: 'd0' });
    expect(await mutate(parley, 'startDraft', { id: 'd8' })).toMatchObject({ __typename: 'DraftPayload' });
  });

  test('a draft has at most 8 MiB', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    const chunk = 'x'.repeat(262_000);
    for (let n = 0; n < 32; n++) expect(await append(parley, n, chunk)).toMatchObject({ __typename: 'DraftPayload' });
    expect(await append(parley, 32, chunk)).toMatchObject({
      __typename: 'InvalidInputError',
      path: 'chunks',
      message: 'chunks: a draft may have at most 100000 chunks and 8388608 bytes, not 33 and 8646099: finish it',
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      __typename: 'InvalidInputError',
      path: 'content.text',
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'short' } })).toMatchObject({
      messages: [{ id: 'd' }],
    });
  });

  test.each([
    [{ idleTimeout: 9 }, 'idleTimeout', 'idleTimeout must be 10 to 3600 seconds, not 9'],
    [{ idleTimeout: 3_601 }, 'idleTimeout', 'idleTimeout must be 10 to 3600 seconds, not 3601'],
    [{ name: '' }, 'name', 'name must not be empty'],
    [{ id: ' ' }, 'id', 'id must not end with a space'],
  ])('a start with %o is refused', async (input, path, message) => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', input)).toMatchObject({ path, message });
  });

  test('chunks are read in part', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a', 'b', 'c');
    await append(parley, 3, 'd');
    const { data } = await parley.ask(
      '{ chat(id: "c") { drafts { chunks(after: 1, limit: 2) rest: chunks(after: 3) none: chunks(after: 9) } } }',
    );
    expect(data).toEqual({ chat: { drafts: [{ chunks: ['b', 'c'], rest: ['d'], none: [] }] } });
    const { errors } = await parley.ask('{ chat(id: "c") { drafts { chunks(after: -1) } } }');
    expect(errors).toMatchObject([{ message: 'after must not be negative: -1' }]);
  });
});

describe('Long drafts', () => {
  test('are read up to the limit of an operation, and refused beyond it before reading', async () => {
    const parley = await openParley({ limits: { maxContentBytes: 3_000_000 } });
    await createChat(parley, 'c');
    const chunks = Array.from({ length: 100 }, (_, n) => `${String(n).padStart(3)}${'x'.repeat(2_000)}`);
    for (const id of ['d', 'e']) {
      await mutate(parley, 'startDraft', { id });
      for (const offset of [0, 100]) await mutate(parley, 'appendToDraft', { id, offset, chunks });
    }
    const one = (selection: string) => parley.ask(`{ chat(id: "c") { drafts { id ${selection} } } }`);
    const { data } = await one('chunks(after: 150, limit: 100)');
    expect(data).toEqual({ chat: { drafts: ['d', 'e'].map((id) => ({ id, chunks: chunks.slice(50) })) } });
    expect(await one('text chunks rest: chunks(after: 1)')).toMatchObject({
      errors: [{ extensions: { code: 'TOO_LARGE' } }],
    });
  });
});

test('a transferred chat keeps its drafts', async () => {
  const parley = await openParley();
  const as = (userId: string): Pick<Parley, 'ask'> => ({
    ask: async (query, variables) =>
      (await (await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': userId })).json()) as Awaited<
        ReturnType<Parley['ask']>
      >,
  });
  await parley.ask('mutation { createChat(input: { id: "c", userId: "ann" }) { __typename } }');
  await mutate(as('ann'), 'startDraft', { id: 'd' });
  await parley.ask('mutation { transferChat(input: { id: "c", userId: "bob" }) { __typename } }');
  const chunks = { id: 'd', offset: 0, chunks: ['x'] };
  expect(await mutate(as('ann'), 'appendToDraft', chunks)).toMatchObject({ message: 'Chat "c" not found' });
  expect(await mutate(as('bob'), 'appendToDraft', chunks)).toMatchObject({ draft: { length: 1, startedBy: 'ann' } });
  expect(await mutate(as('bob'), 'finishDraft', { id: 'd' })).toMatchObject({ messages: [{ id: 'd' }] });
});

/** What JSON can say, and clients do not mean. Each is taken, or refused with words. */
describe('Odd values', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  test.each<[field: string, input: string, answer: RegExp]>([
    ['appendToDraft', '"offset":0,"chunks":[null]', /BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/],
    ['appendToDraft', '"offset":0,"chunks":[]', /"length":0/],
    ['appendToDraft', `"offset":0,"chunks":[${deep(1_000)}]`, /"path":"chunks\.0/],
    ['appendToDraft', '"offset":0,"chunks":[1e999]', /Error"|BAD_USER_INPUT/],
    ['appendToDraft', '"offset":2147483647,"chunks":[1]', /"length":0/],
    ['appendToDraft', '"offset":2147483648,"chunks":[1]', /BAD_USER_INPUT/],
    ['appendToDraft', '"offset":1e999,"chunks":[1]', /BAD_USER_INPUT/],
    ['appendToDraft', '"offset":0.5,"chunks":[1]', /BAD_USER_INPUT/],
    ['appendToDraft', '"offset":0,"chunks":[0, false, "", {}, [], {"__proto__":{"a":1}}]', /"length":6/],
    ['appendToDraft', '"offset":0,"chunks":["\\u0000"]', /chunks.0 must not contain U\+0000/],
    ['appendToDraft', '"offset":0,"chunks":["\\ud800"]', /chunks.0 must not contain a lone surrogate/],
    ['startDraft', `"metadata":${deep(1_000)}`, /"path":"metadata"/],
    ['startDraft', '"metadata":0', /"metadata":0/],
    ['startDraft', '"metadata":"\\u0000"', /metadata must not contain U\+0000/],
    ['startDraft', '"idleTimeout":2147483648', /BAD_USER_INPUT/],
    ['startDraft', '"parentId":"\\u0000"', /Error"/],
    ['startDraft', `"branch":"${'x'.repeat(300)}"`, /"path":"branch"/],
  ])('of %s: %s', async (field, input, answer) => {
    const parley = await chatOfThree();
    if (field !== 'startDraft') await mutate(parley, 'startDraft', { id: 'd' });
    const [type, selection] = INPUTS[field]!;
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ... on Error { message } ${selection} } }`;
    const body = `{"query":${JSON.stringify(query)},"variables":{"input":{"chatId":"c","id":"d",${input}}}}`;
    const text = await (await parley.post(body)).text();
    expect(text).toMatch(answer);
    expect(text).not.toMatch(/INTERNAL/);
    const { errors } = await parley.ask('{ chat(id: "c") { drafts { metadata chunks text } } }');
    expect(errors).toBeUndefined();
  });

  test.each(['chunks(after: -1)', 'chunks(limit: -1)', 'chunks(after: 2147483648)'])('%s is refused', async (field) => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    const { errors } = await parley.ask(`{ chat(id: "c") { drafts { ${field} } } }`);
    expect(JSON.stringify(errors)).toMatch(/BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/);
  });
});
