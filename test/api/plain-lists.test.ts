/** Long lists have a separate serializer; its output must equal the executor's. */
import { guardsOf } from '../../src/features/all-guards.js';
import { fileService } from '../../src/features/files/open-files.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Loaders } from '../../src/graphql/loading/loaders.js';
import { schema } from '../../src/server/schema.js';
import { openDatabase } from '../../src/database/opening/open.js';
import { execute, parse } from 'graphql';
import { isInMemory } from '../support/database/database-kind.js';
import { runs } from '../support/effort.js';
import { createChat, save } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

const PLAIN = [
  'id',
  'parentId',
  'name',
  'type',
  'data',
  'text',
  'createdAt',
  'depth',
  'seq',
  'siblingIndex',
  'preview',
];
const OTHERS = [
  'createdBy',
  'long: preview(length: 999)',
  'nodeId',
  'siblingCount',
  'hasChildren',
  'parent { id }',
  'headOf { name }',
  'chat { id }',
];

// An alias contains the name of its field, so that no two fields conflict: such a document would be refused.
const plainField = fc
  .tuple(fc.constantFrom('', 'a_', '_'), fc.constantFrom(...PLAIN, '__typename'))
  .map(([alias, name]) => (alias === '' ? name : `${alias}${name}: ${name}`));
const fileSelection = fc
  .array(
    fc.constantFrom(
      ...['id', 'name', 'mediaType', 'size', 'url', '__typename', 'a_url: url', 'name @include(if: $no)'],
      '... on File { id a_name: name }',
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((fields) => fields.join(' '));
const filesField = fc.tuple(fc.constantFrom('files', 'a_files: files', 'files @include(if: $yes)'), fileSelection);
const field = fc.oneof(
  { weight: 8, arbitrary: plainField },
  { weight: 2, arbitrary: filesField.map(([name, inner]) => `${name} { ${inner} }`) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
  { weight: 1, arbitrary: fc.constantFrom('id @include(if: true)', 'name @skip(if: true)', 'text @include(if: $no)') },
);
const { selection } = fc.letrec<{ selection: string; part: string }>((tie) => ({
  selection: fc.array(tie('part'), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
  part: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    field,
    tie('selection').map((inner) => `... { ${inner} }`),
    tie('selection').map((inner) => `... on Message { ${inner} }`),
    fc.constantFrom('... on Node { nodeId }', '... on Node { __typename }', '...Some', '...Some @skip(if: $no)'),
  ),
}));

const graphField = fc
  .tuple(
    fc.constantFrom('', 'a_'),
    fc.constantFrom('id', 'parentId', 'role', 'content', 'depth', 'createdAt', '__typename'),
  )
  .map(([alias, name]) => (alias === '' ? name : `${alias}${name}: ${name} @include(if: $yes)`));
const graphSelection = fc.array(graphField, { minLength: 1, maxLength: 8 }).map((fields) => fields.join(' '));
const outlineSelection = fc
  .array(
    fc.constantFrom(
      ...['firstId', 'lastId', 'parentId', 'length', 'depth', 'firstRole', 'firstContent', 'lastRole', 'lastContent'],
      ...['firstCreatedAt', 'lastCreatedAt', '__typename', 'a_firstId: firstId', 'length @include(if: $yes)'],
      ...['sourceIds', 'a_sourceIds: sourceIds'],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((fields) => fields.join(' '));
const branchList = fc
  .array(
    fc.constantFrom(
      ...['id', 'name', 'isActive', 'createdAt', 'createdBy', 'messageCount', '__typename', 'a_name: name'],
      ...['head { id }', 'head { a_id: id depth __typename }', 'head { depth text @include(if: $no) }'],
      ...[
        'head { text }',
        'head { text @include(if: $no) }',
        'a_head: head { depth } a_head: head { id name @skip(if: $yes) }',
        'chat { id }',
      ],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((fields) => `some: branches(first: 30) { edges { node { ${fields.join(' ')} } } }`);
const limitArgument = fc.option(fc.nat(60), { nil: null }).map((limit) => (limit === null ? '' : `(limit: ${limit})`));

/** Selections of many lists, which the database returns as rows, and of a single list, which it may write as JSON. */
const lists = fc.oneof(
  fc.tuple(selection, selection, limitArgument).map(
    ([inner, more, argument]) => `
      first: activeBranch { chain${argument} { ${inner} } }
      branches { edges { node { chain${argument} { ${inner} } chain${argument} { ${more} } } } }
      roots { ...Some @include(if: $no) }`,
  ),
  fc.tuple(selection, limitArgument).map(([inner, argument]) => `activeBranch { chain${argument} { ${inner} } }`),
  selection.map((inner) => `newestMessage: branch(name: "main") { head { chain { ${inner} } } }`),
  // Files next to plain columns.
  fc
    .tuple(filesField, fc.subarray(['id', 'data', 'createdAt', 'a_name: name', 'a_files: files { size url }']))
    .map(
      ([[name, inner], columns]) => `activeBranch { chain { ${name} { ${inner} } ${columns.join(' ')} __typename } }`,
    ),
  graphSelection.map((inner) => `graph { nodes { ${inner} } }`),
  outlineSelection.map((inner) => `outline { messageCount segments { ${inner} } }`),
  fc
    .tuple(selection, fc.constantFrom('cursor', 'c: cursor @skip(if: $yes)', '__typename'))
    .map(
      ([inner, more]) => `activeBranch { messages(last: 40) { edges { ${more} node { ${inner} } node { depth } } } }`,
    ),
);

// The executor needs its own connection, and a database in memory is not visible to other connections.
if (!isInMemory) {
  test("the answer equals the executor's for any selection", async () => {
    const parley = await chatWithOddContent();
    const { store, reads } = await openDatabase({ url: parley.databaseUrl, hooksOf: guardsOf });
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom('c', 'f'), fc.option(branchList), async (selected, chatId, branches) => {
        const document = `query ($no: Boolean = false, $yes: Boolean!) {
          chat(id: "${chatId}") { ${selected} ${branches ?? ''} unused: roots { ...Some @include(if: $no) } }
          viewer { userId @include(if: $yes) }
        }
        fragment Some on Message { seq ...More }
        fragment More on Message { depth author: name }`;
        const variables = { yes: true };
        const expected = await execute({
          schema,
          document: parse(document),
          variableValues: variables,
          // Without plainLists, which shortens answers.
          contextValue: {
            viewer: { userId: 'local', isAdmin: true },
            store,
            reads,
            loaders: new Loaders({ reads }),
          },
        });
        const response = await parley.post(JSON.stringify({ query: document, variables }));
        expect(await response.text()).toBe(JSON.stringify(expected));
      }),
      { numRuns: runs(400) },
    );
    await store.close();
  });
}

test('an error elsewhere keeps the list or nulls it with its parent', async () => {
  const parley = await chatWithOddContent();
  const beside = await parley.ask(
    '{ chat(id: "c") { activeBranch { chain { id } } } wrong: chats(first: -1) { totalCount } }',
  );
  expect(beside).toMatchObject({ data: null, errors: [{ path: ['wrong'] }] });
  const nullable = await parley.ask(`{
    chat(id: "c") { activeBranch { chain { id } } }
    other: chat(id: "c") { activeBranch { chain { id } messages(first: -1) { totalCount } } }
  }`);
  expect(nullable).toMatchObject({
    data: { chat: { activeBranch: { chain: expect.any(Array) as unknown } }, other: null },
  });
  expect((nullable.data as { chat: { activeBranch: { chain: unknown[] } } }).chat.activeBranch.chain).toHaveLength(48);
});

async function chatWithOddContent(): Promise<Parley> {
  const parley = await openParley({ limits: { costLimit: Number.MAX_SAFE_INTEGER } });
  await createChat(parley, 'c');
  const odd = [
    'text',
    '"quoted" \\ and \u2028 new\nlines',
    {
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    [1, 2.5, -0, 1e21, true, null],
    { ['__proto__']: { deep: [[[]]] } },
    42,
    false,
    '😀'.repeat(60),
    '👨‍👩‍👧'.repeat(60),
    '',
    { role: 'user', content: 'plain' },
    'it looks like a place: 00000000000000000000000000000000:0',
  ];
  const contents = [...odd, ...odd, ...odd, ...odd];
  await save(parley, {
    chatId: 'c',
    messages: contents.map((data, n) => ({ id: `"id" ${n}`, name: 'näme "x"', type: 'message', content: { data } })),
  });
  await save(parley, {
    chatId: 'c',
    messages: [{ id: '"id" 30', name: 'user', type: 'message', content: { data: 'edit' } }],
  });
  await addThreadWithFiles(parley);
  // Roots, so that there are many segments, and their branches are short.
  const sources = ['"id" 30', '"id" 5', '"id" 40'];
  for (let n = 0; n < 20; n++) {
    await save(parley, {
      chatId: 'c',
      messages: [
        { id: '"id" 0', name: 'user', type: 'message', content: { data: n }, sourceIds: sources.slice(n % 4) },
      ],
    });
  }
  await parley.ask('mutation { rewind(input: { chatId: "c", at: { start: true } }) { __typename } }');
  await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
  return parley;
}

const fileId = (n: number) => n.toString(16).padStart(64, '0');

/** A chat "f" whose ids need no escapes in URLs: the database then writes the files. */
async function addThreadWithFiles(parley: Parley): Promise<void> {
  const { connection, store } = await openDatabase({ url: parley.databaseUrl, hooksOf: guardsOf });
  const records = fileService.records(connection);
  for (let n = 0; n < 3; n++) {
    const storageKey = `00/${fileId(n)}-1`;
    await records.announce(storageKey);
    await records.add('local', { id: fileId(n), mediaType: 'image/png', size: 1_000 * n, storageKey });
  }
  await store.close();
  const names = ['photo.png', '"näme" \\ \u2028', undefined, '100%s.png'];
  const data = (n: number) => ({
    parts: Array.from({ length: n % 4 }, (_, i) => ({ filename: names[i], url: `parley:file:${fileId((n + i) % 3)}` })),
  });
  await createChat(parley, 'f');
  for (const chatId of ['f', 'c']) {
    await save(parley, {
      chatId,
      messages: Array.from({ length: chatId === 'f' ? 48 : 3 }, (_, n) => ({
        id: `${chatId === 'f' ? 'file' : '"file"'}.${n}`,
        name: 'user',
        type: 'message',
        content: { data: data(n) },
      })),
    });
  }
}
