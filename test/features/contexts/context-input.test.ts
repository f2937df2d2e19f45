/** The input of Branch.context: errors and limits. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { CONTEXT, RENDERERS, type Resolved } from './context-branches.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley({ limits: { queryTimeoutMs: 3_600_000 } });
  await createChat(parley, 'c');
});

async function contextOf(input: object, branch = 'main'): Promise<Resolved> {
  const { data, errors } = await parley.ask(CONTEXT, { chat: 'c', branch, input });
  expect(errors).toBeUndefined();
  return (data as { chat: { branch: { context: Resolved } } }).chat.branch.context;
}

describe('bad input is an error with the path of the field', () => {
  const nested = (levels: number): object => ({ name: 'n', data: levels === 1 ? 'x' : [nested(levels - 1)] });

  test('64 levels are rendered', async () => {
    expect((await contextOf({ fragments: [nested(64)] })).systemPrompt.match(/<n>/g)).toHaveLength(64);
  });

  const REFUSED: [string, object, string, RegExp][] = [
    ['a 65th level', { fragments: [nested(65)] }, `fragments.0${'.data.0'.repeat(64)}`, /"n".* deeper than 64 levels/],
    [
      'arrays in arrays',
      { fragments: [{ name: 'n', data: arrays(66) }] },
      `fragments.0.data${'.0'.repeat(64)}`,
      /deeper/,
    ],
    ['a fragment without a name', { fragments: [{ name: '', data: 'x' }] }, 'fragments.0', /a name that is not empty/],
    [
      'one inside',
      { fragments: [nested(1), { name: 'h', data: [{ name: '', data: 1 }] }] },
      'fragments.1.data.0',
      /"h"/,
    ],
    [
      'more than 1 MiB',
      { fragments: [nested(1), { name: 'h', data: 'x'.repeat(1024 * 1024) }] },
      'fragments.1',
      /1048576 bytes/,
    ],
    [
      'a lone surrogate',
      { fragments: [{ name: 'h', data: { a: ['\ud800'] } }] },
      'fragments.0.data.a.0',
      /lone surrogate/,
    ],
    [
      'a character outside XML',
      { fragments: [{ name: 'h', data: { a: ['\u001b'] } }] },
      'fragments.0.data.a.0',
      /U\+001B/,
    ],
    [
      'a message with U+0000',
      { pending: [{ name: 'user', content: { text: '\ud800' } }] },
      'pending.0.content.text',
      /lone surrogate/,
    ],
    [
      'a message without a name',
      { pending: [{ name: '', content: { text: 'x' } }] },
      'pending.0.name',
      /must not be empty/,
    ],
    [
      'a repeated id',
      { pending: ['a', 'b', 'b'].map((id) => ({ id, name: 'user', content: { text: 'x' } })) },
      'pending.2.id',
      /the same as pending\.1\.id/,
    ],
    [
      '501 messages',
      { pending: Array.from({ length: 501 }, () => ({ name: 'user', content: { text: 'x' } })) },
      'pending',
      /must have 0 to 500 elements, not 501/,
    ],
  ];
  test.each(REFUSED)('%s', async (_what, input, path, text) => {
    const { errors } = await parley.ask(CONTEXT, { chat: 'c', branch: 'main', input });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', path } }]);
    expect(errors?.[0]?.message).toMatch(text);
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });
});

test('a prompt much longer than its fragments is refused before it is rendered', async () => {
  let data: unknown = Array.from({ length: 100_000 }, () => 1);
  for (let level = 0; level < 60; level++) data = { a: data };
  for (const renderer of Object.keys(RENDERERS)) {
    const { errors } = await parley.ask(CONTEXT, {
      chat: 'c',
      branch: 'main',
      input: { fragments: [{ name: 'n', data }], renderer },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    expect(errors?.[0]?.message).toMatch(
      /^Fragment "n": fragments\.0\.data(\.a){60}\.\d+ is too much: .* 4194304 characters$/,
    );
  }
});

test('all prompts of one operation share a limit', async () => {
  const aliases = Array.from(
    { length: 12 },
    (_, n) => `a${n}: context(input: {
    fragments: [{ name: "n${n}", data: $data }] }) { systemPrompt }`,
  ).join(' ');
  const document = `query ($data: JSON!) { chat(id: "c") { activeBranch { ${aliases} } } }`;
  const { errors } = await parley.ask(document, { data: '&'.repeat(1_000_000) });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', path: 'fragments' } }]);
  expect(errors?.[0]?.message).toMatch(/of one operation may have 16777216 characters together/);
});

test('it takes the same number of SQL statements for any number of messages and fragments', async () => {
  const counts: number[] = [];
  for (const size of [2, 60]) {
    const messages = Array.from({ length: size }, (_, n) => ({
      id: `${size}-${n}`,
      name: 'user',
      content: { text: 'x' },
    }));
    await save(parley, { chatId: 'c', messages });
    const fragments = Array.from({ length: size }, () => ({ name: 'hint', data: 'x' }));
    parley.takeStatements();
    await contextOf({ fragments, pending: [{ name: 'user', content: { text: 'x' } }] });
    counts.push(parley.takeStatements().length);
  }
  expect(counts[1]).toBe(counts[0]);
});

function arrays(levels: number): unknown {
  return levels === 0 ? 'x' : [arrays(levels - 1)];
}
