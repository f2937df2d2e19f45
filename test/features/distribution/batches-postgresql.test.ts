/** Batches of keys in several chats, in the distributed form: the chats are in several partitions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withHooks } from '../../../src/database/change-hooks.js';
import { guardsOf } from '../../../src/features/all-guards.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { editMessage, saveMessages } from '../../../src/conversation/saving/save.js';
import { openDatabase, type OpenDatabase } from '../../../src/database/opening/open.js';
import { partitionedDatabase, type PartitionedDatabase } from './partitioned-schema.js';

const VIEWER = { userId: 'u', isAdmin: false };
/** The first has a message only, and the last two none. */
const CHATS = ['a', 'b', 'c', 'deleted', 'missing'];
const WITH_MESSAGES = ['b', 'c', 'b'];

let partitioned: PartitionedDatabase;
let database: OpenDatabase;
beforeAll(async () => {
  partitioned = await partitionedDatabase();
  database = await openDatabase({ url: partitioned.url });
  const { store } = database;
  const save = (chatId: string, names: readonly string[], type = 'message') => {
    const messages = names.map((name) => ({
      id: `${chatId}-${name}`,
      name: 'user',
      type,
      content: { text: `word ${name}` },
    }));
    return saveMessages(store, VIEWER, { chatId, messages });
  };
  for (const chatId of CHATS.slice(0, 4)) {
    await createChat(store, VIEWER, { id: chatId });
    await save(chatId, ['1']);
  }
  await deleteChat(store, VIEWER, 'deleted');
  for (const chatId of ['b', 'c']) {
    await save(chatId, ['2', '3']);
    await save(chatId, ['4'], 'summary');
    await editMessage(store, VIEWER, { chatId, messageId: `${chatId}-2`, content: { text: 'word edited' } });
    const merge = { id: `${chatId}-merge`, name: 'user', content: { text: 'word' }, sourceIds: [`${chatId}-1`] };
    await saveMessages(store, VIEWER, { chatId, messages: [merge] });
    await createCheckpoint(store, VIEWER, { chatId, name: 'x' });
    await startDraft(store, VIEWER, { chatId });
  }
});
afterAll(async () => {
  await database.store.close();
  await partitioned.remove();
});

const page = { first: 5, last: null, after: null, before: null };
const search = { query: 'word', userId: null, names: null, first: 5, after: null };
const at = (name: string) => WITH_MESSAGES.map((chatId) => ({ chatId, id: `${chatId}-${name}` }));
const mapped = <Key>(map: (chatId: string) => Key): Key[] => WITH_MESSAGES.map(map);

/** Reads of lists of keys. */
const READS: Record<string, () => [(keys: never[]) => Promise<unknown[]>, keys: unknown[]]> = {
  chats: () => [database.reads.chats, CHATS],
  messages: () => [database.reads.messages, at('2')],
  branches: () => [database.reads.branchesByName, mapped((chatId) => ({ chatId, name: 'main' }))],
  'pages of branches': () => [(chatIds) => database.reads.branchPages(chatIds, page), CHATS],
  'branches at messages': () => [(keys) => database.reads.branchesAt(keys, 9), at('4')],
  'checkpoints at messages': () => [(keys) => database.reads.checkpointsAt(keys, 9), at('merge')],
  'branches through messages': () => [database.reads.branchesThrough, at('2').map((key) => ({ ...key, depth: 1 }))],
  'pages of checkpoints': () => [(chatIds) => database.reads.checkpointPages(chatIds, page), CHATS],
  'pages of events': () => [(chatIds) => database.reads.eventPages(chatIds, page), CHATS],
  'events by seq': () => [database.reads.eventsAt, mapped((chatId) => ({ chatId, seq: 1 }))],
  'counts of messages': () => [database.reads.messageCounts, CHATS],
  'newest messages': () => [database.reads.newestMessages, CHATS],
  graphs: () => [database.reads.graphs, CHATS],
  outlines: () => [database.reads.outlines, CHATS],
  'pages of messages': () => [(chatIds) => database.reads.messagePages(chatIds, page), CHATS],
  'pages of children': () => [
    (keys) => database.reads.childPages(keys, page),
    mapped((chatId) => ({ chatId, parentId: `${chatId}-1` })),
  ],
  chains: () => [database.reads.chains, mapped((chatId) => ({ chatId, messageId: `${chatId}-4`, length: 3 }))],
  'pages of paths': () => [
    (keys) => database.reads.pathPages(keys, { ...page, first: 2 }),
    mapped((chatId) => ({ chatId, headMessageId: `${chatId}-4`, messageCount: 4 })),
  ],
  'places on paths': () => [
    database.reads.placesOnPaths,
    mapped((chatId) => ({ chatId, headId: `${chatId}-4`, messageId: `${chatId}-2` })),
  ],
  'common ancestors': () => [
    database.reads.commonAncestors,
    mapped((chatId) => ({ chatId, baseId: `${chatId}-4`, headId: `${chatId}-merge` })),
  ],
  'newest summaries': () => [
    database.reads.newestSummaries,
    mapped((chatId) => ({ chatId, headId: `${chatId}-4`, beforeSeq: 99 })),
  ],
  'latest leaves': () => [(keys) => database.reads.latestLeaves(keys), at('1')],
  sources: () => [database.reads.sources, mapped((chatId) => ({ chatId, seq: 6 }))],
  drafts: () => [createReads(withHooks(database.connection, guardsOf(database.connection))).drafts, CHATS],
  hits: () => [(chatIds) => database.reads.hitPages(chatIds, search), CHATS],
  'states of logs': () => [database.log.logStates, CHATS],
  chatStatuses: () => [database.list.chatStatuses, CHATS.map((chatId) => ({ chatId, after: 0 }))],
};

/** Without the numbers of keys. */
const withoutNumbers = (found: unknown[]): unknown =>
  JSON.parse(JSON.stringify(found, (name, value: unknown) => (name === 'n' ? undefined : value)));

it.each(Object.keys(READS))('%s of several chats are those of each', async (name) => {
  const [read, keys] = READS[name]!();
  const each = await Promise.all(keys.map((key) => read([key] as never[])));
  expect(withoutNumbers(await read(keys as never[]))).toEqual(withoutNumbers(each.flat()));
  expect(each.flat().some((found) => found !== null && JSON.stringify(found) !== '[]')).toBe(true);
});

it('a search of all chats of a user finds what searches of each chat find', async () => {
  const { hits, hitPages } = database.reads;
  const idsOf = ({ rows }: Awaited<ReturnType<typeof hits>>) => rows.map(({ message }) => message.id);
  const pages = await hitPages(CHATS, { ...search, first: 99 });
  const found = await hits({ ...search, userId: VIEWER.userId, first: 99 });
  expect(idsOf(found).sort()).toEqual(pages.flatMap(idsOf).sort());
});

it('a limit is that of all chats together', async () => {
  const { branchesAt, checkpointsAt } = database.reads;
  expect((await branchesAt(at('4'), 1)).flat()).toHaveLength(1);
  expect((await checkpointsAt(at('merge'), 1)).flat()).toHaveLength(1);
});

it('no keys have no results', async () => {
  expect(await database.reads.messages([])).toEqual([]);
});
