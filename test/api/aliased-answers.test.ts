/** An operation resolves equal fields once: each alias has the value that its field has in an operation of its own. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChat, save } from '../support/chats/operations.js';
import { runs } from '../support/effort.js';
import { openParley, type Parley } from '../support/server/parley.js';

const DECLARED: Record<string, string> = {
  ...{ two: 'Int', second: 'Int', three: 'Int = 3', null: 'Int', absent: 'Int', json: 'JSON', text: 'JSON' },
  ...{
    name: 'String! = "main"',
    id: 'ID! = "m1"',
    yes: 'Boolean! = true',
    no: 'Boolean! = false',
    format: 'ContextRenderer! = TOML',
  },
};
const VALUES = { two: 2, second: 2, null: null, json: 2, text: '2' };

const count = fc.constantFrom('2', '3', '$two', '$second', '$three', '$null', '$absent', 'null');
const optional = (name: string) => fc.option(count, { nil: null }).map((n) => (n === null ? '' : `(${name}: ${n})`));
const json = fc.constantFrom(
  '2',
  '"2"',
  '2.0',
  '$json',
  '$text',
  'true',
  '"true"',
  '[2]',
  '["2"]',
  '{a: 2}',
  '{a: $json}',
);
const value = fc.constantFrom('id', 'text', 'data', 'depth', '__typename', 'hasChildren', 'siblingCount');

const messageField = fc.oneof(
  value,
  fc.constantFrom('preview', 'preview(length: null)', 'preview(length: 2)', 'preview(length: $two)'),
  fc.constantFrom('parent { id }', 'parent { text id }', 'files { id }', 'chat { id }', 'nodeId'),
  fc.tuple(optional('limit'), value).map(([limit, of]) => `chain${limit} { ${of} }`),
  fc.tuple(optional('first'), value).map(([first, of]) => `children${first} { edges { node { ${of} } } }`),
);
const branchField = fc.oneof(
  fc.constantFrom(
    'head { id }',
    'head { id depth }',
    'head { text }',
    'head { id @skip(if: $no) }',
    'name',
    'isActive',
  ),
  fc.constantFrom('nodeId', '__typename', 'messageCount', 'chat { id }'),
  fc
    .tuple(
      json,
      fc.constantFrom('TOML', 'TOON', '$format'),
      fc.constantFrom('', ', lastMessages: 2', ', lastMessages: $two'),
    )
    .map(
      ([data, renderer, limit]) =>
        `context(input: {fragments: [{name: "n", data: {v: ${data}}}], renderer: ${renderer}${limit}}) { systemPrompt omittedMessages }`,
    ),
  fc.tuple(optional('first'), messageField).map(([first, of]) => `messages${first} { edges { node { ${of} } } }`),
  fc.tuple(optional('limit'), messageField).map(([limit, of]) => `chain${limit} { ${of} }`),
);
const chatField = fc.oneof(
  branchField.map((of) => `activeBranch { ${of} }`),
  fc
    .tuple(fc.constantFrom('"main"', '"2"', '$name', '"none"'), branchField)
    .map(([name, of]) => `branch(name: ${name}) { ${of} }`),
  fc.tuple(fc.constantFrom('"m1"', '"2"', '2', '$id'), messageField).map(([id, of]) => `message(id: ${id}) { ${of} }`),
  fc.constantFrom(
    'graph { nodes { id } }',
    'graph { nodes { role id } }',
    'outline { segments { firstId } }',
    'lastMessage { id }',
  ),
  fc.constantFrom('lastMessage { text }', 'outline { branches { name } }', 'graph { branches { id } }', 'metadata'),
  messageField.map((of) => `roots { ${of} }`),
);

/** Declares the variables of a selection. */
function documentOf(selection: string): string {
  const names = Object.keys(DECLARED).filter((name) => new RegExp(`\\$${name}\\b`).test(selection));
  const declared = names.map((name) => `$${name}: ${DECLARED[name]}`);
  return `query ${declared.length === 0 ? '' : `(${declared.join(', ')})`} { chat(id: "c") { ${selection} } }`;
}

const around = fc.constantFrom(
  (field: string) => field,
  (field: string) => `... @include(if: $yes) { ${field} }`,
  (field: string) => `... on Node { ... on Chat { ${field} } }`,
);

test('each alias has the value of its field alone', async () => {
  const parley = await chatWithVersions();
  const ask = async (selection: string): Promise<Record<string, unknown>> => {
    const { data, errors } = await parley.ask(documentOf(selection), VALUES);
    expect(errors).toBeUndefined();
    return (data as { chat: Record<string, unknown> }).chat;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(chatField, around), { minLength: 2, maxLength: 8 }), async (fields) => {
      const together = await ask(fields.map(([field, within], n) => within(`a${n}: ${field}`)).join(' '));
      for (const [n, [field]] of fields.entries()) {
        expect([together[`a${n}`]]).toEqual(Object.values(await ask(field)));
      }
    }),
    { numRuns: runs(600) },
  );
});

async function chatWithVersions(): Promise<Parley> {
  const parley = await openParley({ limits: { costLimit: Number.MAX_SAFE_INTEGER } });
  await createChat(parley, 'c');
  const message = (id: string, text: string) => ({ id, name: 'user', content: { text } });
  await save(parley, { chatId: 'c', messages: Array.from({ length: 24 }, (_, n) => message(`m${n}`, `text ${n}`)) });
  // Another version, which makes a branch.
  await save(parley, { chatId: 'c', messages: [message('m20', 'another')] });
  await save(parley, { chatId: 'c', messages: [message('2', 'last')] });
  return parley;
}
