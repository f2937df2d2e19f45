/** Limits, forks and unusual values of drafts. */
import { describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { INPUTS, mutate, chatOfThree, append, draftsOf, branchesOf, change } from './draft-requests.js';

describe('A fork for a draft', () => {
  test('is active when the active branch and its head are the same as at the start', async () => {
    const parley = await chatOfThree();
    await change(parley, 'btw', 'at: { message: "b" }, branchName: "side"');
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
    await mutate(parley, 'startDraft', { id: 'd', at: { message: 'a' } });
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
      '{ chat(id: "c") { drafts { edges { node { chunks(after: 1, limit: 2) rest: chunks(after: 3) none: chunks(after: 9) } } } } }',
    );
    expect(data).toEqual({ chat: { drafts: { edges: [{ node: { chunks: ['b', 'c'], rest: ['d'], none: [] } }] } } });
    const { errors } = await parley.ask('{ chat(id: "c") { drafts { edges { node { chunks(after: -1) } } } } }');
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
    const one = (selection: string) =>
      parley.ask(`{ chat(id: "c") { drafts { edges { node { id ${selection} } } } } }`);
    const { data } = await one('chunks(after: 150, limit: 100)');
    const edges = ['d', 'e'].map((id) => ({ node: { id, chunks: chunks.slice(50) } }));
    expect(data).toEqual({ chat: { drafts: { edges } } });
    expect(await one('text chunks rest: chunks(after: 1)')).toMatchObject({
      errors: [{ extensions: { code: 'TOO_LARGE' } }],
    });
  });
});

/** Unusual JSON values: each is accepted, or refused with a message. */
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
    ['startDraft', '"at":{"message":"\\u0000"}', /Error"/],
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
    const { errors } = await parley.ask('{ chat(id: "c") { drafts { edges { node { metadata chunks text } } } } }');
    expect(errors).toBeUndefined();
  });

  test.each(['chunks(after: -1)', 'chunks(limit: -1)', 'chunks(after: 2147483648)'])('%s is refused', async (field) => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    const { errors } = await parley.ask(`{ chat(id: "c") { drafts { edges { node { ${field} } } } } }`);
    expect(JSON.stringify(errors)).toMatch(/BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/);
  });
});
