/** Messages that are being written: what may be done with them, and what becomes of them. */
import { describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../support/operations.js';
import { openParley, type Parley } from '../support/parley.js';

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
  test('goes behind the head of the active branch, grows, and becomes the message of its id', async () => {
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

  test('is saved with the content that its writer gives in place of its text', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'half');
    const data = { id: 'd', role: 'assistant', parts: [{ type: 'text', text: 'whole' }] };
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { data } })).toMatchObject({
      messages: [{ data }],
    });
  });

  test('is finished once, however often that is asked for', async () => {
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

  test('whose message was saved under its id in another way is found saved', async () => {
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

  test('begins once: a retry answers it as it is, and another one with its id is refused', async () => {
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
  test('makes a retry change nothing, and a longer one write what is new of it', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a', 'b');
    expect(await append(parley, 0, 'a', 'b')).toMatchObject({ draft: { length: 2, text: 'ab' } });
    expect(await append(parley, 1, 'b', 'c')).toMatchObject({ draft: { length: 3, text: 'abc' } });
  });

  test('that leaves a gap is refused with the length that is there', async () => {
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

describe('Where a draft goes', () => {
  test('a branch that has moved on gets a fork, so that the answer is not lost', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    await save(parley, { chatId: 'c', messages: [userMessage('e')] });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
      messages: [{ parentId: 'c' }],
    });
  });

  test('with APPEND it goes behind what has come meanwhile', async () => {
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

  test('expectedHeadId is looked at when it begins', async () => {
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

  test('parentId is another answer beside those that are there', async () => {
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

  test('of a branch that was deleted meanwhile, a new one', async () => {
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

describe('The end of a draft', () => {
  test('a stop is told to the writer with the next append', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    expect(await mutate(parley, 'stopDraft', { id: 'd' })).toMatchObject({ draft: { state: 'STOPPING' } });
    expect(await append(parley, 0, 'x')).toMatchObject({ draft: { state: 'STOPPING', length: 1 } });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ messages: [{ id: 'd' }] });
  });

  test('discarded, nothing of it is there, and its id may be used again', async () => {
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

  test('finished, it can neither grow nor be stopped or discarded', async () => {
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
    [{ chunks: [] }, 'chunks must have 1 to 500 elements, not 0'],
    [{ chunks: Array.from({ length: 501 }, () => 'x') }, 'chunks must have 1 to 500 elements, not 501'],
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
      message: 'chatId: chat "c" has 8 drafts, which is as many as it may: finish or discard one',
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
  test('are read as far as one operation may, and refused beyond that before they are', async () => {
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

test('a chat that is given to somebody else takes its drafts along', async () => {
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
    ['appendToDraft', '"offset":0,"chunks":[]', /"path":"chunks"/],
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
