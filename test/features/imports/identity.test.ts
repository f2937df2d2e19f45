/** Conversations without an id are told apart by their file and their place in it. */
import { expect, it } from 'vitest';
import { readConversations, type ConversationTree } from '@parley/interchange';
import { importConversation } from '../../../src/features/imports/conversations/import-conversation.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { importContent, importedChats } from './imported-chats.js';
import { writeZip } from './zips/write-zip.js';

const database = databaseForEach();

const SYSTEM = { role: 'system', content: 'You count trees.' };
const turns = (question: string, answer = 'Nine') => [
  SYSTEM,
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];
const shareGpt = (...said: string[]) => said.map((value, n) => ({ from: n % 2 === 0 ? 'human' : 'gpt', value }));

/** The texts of each chat, in the order of saving. */
async function chats(): Promise<string[][]> {
  const found = Object.values(await importedChats(database));
  const textsOf = ({ parts }: { parts: { text?: string }[] }) => parts.map(({ text = '' }) => text).join();
  return found.map(({ messages }) => messages.map(({ data }) => textsOf(data))).sort();
}

it.each<[form: string, files: unknown[], texts: string[][]]>([
  [
    'files of messages',
    [turns('Birches?'), turns('Oaks?', 'Four')],
    [
      ['You count trees.', 'Birches?', 'Nine'],
      ['You count trees.', 'Oaks?', 'Four'],
    ],
  ],
  [
    'rows with numbers of two files',
    [[{ id: 0, messages: turns('Birches?') }], [{ id: 0, messages: turns('Oaks?', 'Four') }]],
    [
      ['You count trees.', 'Birches?', 'Nine'],
      ['You count trees.', 'Oaks?', 'Four'],
    ],
  ],
  [
    'rows of ShareGPT with equal beginnings',
    [[{ conversations: shareGpt('Hi', 'Hello', 'Oaks?') }, { conversations: shareGpt('Hi', 'Hello', 'Birches?') }]],
    [
      ['Hi', 'Hello', 'Birches?'],
      ['Hi', 'Hello', 'Oaks?'],
    ],
  ],
  [
    'equal rows of one file',
    [[{ messages: turns('Birches?') }, { messages: turns('Birches?') }]],
    [
      ['You count trees.', 'Birches?', 'Nine'],
      ['You count trees.', 'Birches?', 'Nine'],
    ],
  ],
])('%s stay apart, and are known when they are imported again', async (_form, files, texts) => {
  for (const file of files) await importContent(database, file);
  expect(await chats()).toEqual(texts);
  const rows = await database.allRows();
  for (const file of files) {
    const { conversations } = await importContent(database, file);
    expect([conversations.imported, conversations.updated]).toEqual([0, 0]);
  }
  expect(await database.allRows()).toEqual(rows);
});

const said = (role: string, text: string, more: object) => ({ role, content: text, ...more });
const history = (answer: string) => ({
  title: 'Trees',
  history: {
    currentId: 'b',
    messages: { a: said('user', 'Birches?', { id: 'a' }), b: said('assistant', answer, { id: 'b', parentId: 'a' }) },
  },
});
const thread = (answer: string) => ({
  headId: '2',
  messages: [
    { parentId: null, message: said('user', 'Birches?', { id: '1' }) },
    { parentId: '1', message: said('assistant', answer, { id: '2' }) },
  ],
});
const inbox = (answer: string) => ({
  ...{ exportType: 'all', version: 7 },
  state: {
    messages: [said('user', 'Birches?', { id: '1', sessionId: 'inbox' }), said('assistant', answer, { id: '2' })],
  },
});
const session = (text: string) => ({ uuid: 'a', parentUuid: null, type: 'user', message: said('user', text, {}) });
const noted = (id: string, role: string, text: string) => ({
  id,
  author: { role },
  content: { content_type: 'text', parts: [text] },
});
const mapped = (answer: string) => ({
  ...{ title: 'Trees', create_time: 0, current_node: 'b' },
  mapping: {
    a: { id: 'a', parent: null, children: ['b'], message: noted('a', 'user', 'Birches?') },
    b: { id: 'b', parent: 'a', children: [], message: noted('b', 'assistant', answer) },
  },
});
const compared = (answer: string) => ({
  question_id: 'q1',
  conversation_a: [said('user', 'Birches?', {}), said('assistant', answer, {})],
  conversation_b: [said('user', 'Birches?', {}), said('assistant', 'None', {})],
});

it.each<[what: string, of: (answer: string) => unknown, texts: (answer: string) => string[]]>([
  [
    'the number that Chatbot UI counts',
    (text) => ({ id: 1, name: 'T', messages: turns('Birches?', text).slice(1) }),
    (text) => ['Birches?', text],
  ],
  ['the first message of a chat of Open WebUI', history, (text) => ['Birches?', text]],
  ['the first message of a thread of assistant-ui', thread, (text) => ['Birches?', text]],
  ['the inbox of LobeChat', inbox, (text) => ['Birches?', text]],
  ['a session of Claude Code without an id', session, (text) => [text]],
  ['a conversation of ChatGPT at time 0', mapped, (text) => ['Birches?', text]],
  ['the question of a comparison', compared, (text) => ['Birches?', text, 'None']],
])('%s is no id: two files are two chats', async (_what, of, texts) => {
  const files = [of('Nine'), of('Ten')];
  for (const file of [...files, ...files]) await importContent(database, file);
  expect(await chats()).toEqual([texts('Nine'), texts('Ten')].sort());
});

it('a chat that a former version found by its first message is not imported again', async () => {
  await importAsBefore(history('Nine'));
  expect((await importContent(database, history('Nine'))).conversations.unchanged).toBe(1);
});

it.each(['chatId', 'chat_id', 'thread_id', 'conversation_id', 'session_id'])(
  'rows are grouped by their %s',
  async (member) => {
    const row = (chat: string, id: string, role: string, content: string) => ({ id, [member]: chat, role, content });
    const rows = [
      row('c1', 'm1', 'user', 'Apples'),
      row('c2', 'm2', 'user', 'Pears'),
      row('c1', 'm3', 'assistant', 'Red'),
      row('c2', 'm4', 'assistant', 'Green'),
    ];
    await importContent(database, rows);
    const found = await importedChats(database);
    expect(Object.keys(found).sort()).toEqual(['c1', 'c2']);
    expect(await chats()).toEqual([
      ['Apples', 'Red'],
      ['Pears', 'Green'],
    ]);
  },
);

it('a file is the same packed and unpacked', async () => {
  const text = JSON.stringify(turns('Birches?'));
  await importContent(database, text);
  const { conversations } = await importContent(database, writeZip({ 'other.json': text }));
  expect(conversations.unchanged).toBe(1);
});

/** A conversation as a former version saved it: under the id of its first messages. */
async function importAsBefore(file: unknown): Promise<void> {
  for await (const tree of readConversations(Buffer.from(JSON.stringify(file)))) {
    const { formerId, ...before }: ConversationTree = tree;
    await importConversation(database.store, 'local', { ...before, conversationId: formerId! });
  }
}

it('a chat of a former version with the same content is not imported again', async () => {
  await importAsBefore(turns('Birches?'));
  const rows = await database.allRows();
  const { conversations } = await importContent(database, turns('Birches?'));
  expect(conversations).toEqual({ imported: 0, updated: 0, unchanged: 1 });
  expect(await database.allRows()).toEqual(rows);
});

it('a chat of a former version with other content stays as it is', async () => {
  await importAsBefore(turns('Birches?'));
  await importContent(database, turns('Oaks?', 'Four'));
  await importContent(database, turns('Birches?').slice(0, 2));
  expect(await chats()).toEqual([
    ['You count trees.', 'Birches?'],
    ['You count trees.', 'Birches?', 'Nine'],
    ['You count trees.', 'Oaks?', 'Four'],
  ]);
});

it('a longer file continues the chat that is named', async () => {
  const short = await importContent(database, turns('Birches?'));
  const [id = ''] = Object.values(await importedChats(database)).map((chat) => chat.id);
  const longer = [...turns('Birches?'), { role: 'user', content: 'And oaks?' }];
  const report = await importContent(database, longer, 'local', { into: id });
  expect([short.withoutId, report.withoutId, report.conversations.updated]).toEqual([1, 0, 1]);
  expect(await chats()).toEqual([['You count trees.', 'Birches?', 'Nine', 'And oaks?']]);

  const rows = await database.allRows();
  const two = [{ messages: turns('Oaks?') }, { messages: turns('Pines?') }];
  for (const [content, into, userId] of [
    [longer, id, 'ann'],
    [longer, 'none', 'local'],
    [two, id, 'local'],
  ] as const) {
    const { failures, conversations } = await importContent(database, content, userId, { into });
    expect([failures.total, conversations.imported]).toEqual([1, 0]);
  }
  expect(await database.allRows()).toEqual(rows);
});

it('of a file with several conversations nothing continues a chat', async () => {
  await importContent(database, turns('Birches?'));
  const [id = ''] = Object.values(await importedChats(database)).map((chat) => chat.id);
  const rows = await database.allRows();
  const first = turns('Birches?', 'Ten');
  for (const content of [
    [{ messages: first }, { messages: turns('Oaks?') }],
    writeZip({ 'a.json': JSON.stringify(first), 'b.json': JSON.stringify(turns('Oaks?')) }),
  ]) {
    const { failures } = await importContent(database, content, 'local', { into: id });
    expect(failures.kept).toEqual([
      `the file: chat "${id}" continues one conversation, and the file has several: nothing is written`,
    ]);
  }
  expect(await database.allRows()).toEqual(rows);
});
