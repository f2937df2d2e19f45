import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChat, deleteChat, updateChat } from '../../src/conversation/chats.js';
import { createCheckpoint, deleteCheckpoint, restoreCheckpoint } from '../../src/conversation/checkpoints.js';
import { btw, rewind, switchBranch } from '../../src/conversation/rewind.js';
import { editMessage, saveMessages } from '../../src/conversation/save.js';
import { switchToSibling } from '../../src/conversation/siblings.js';
import type { Dialect } from '../../src/database/dialect.js';
import { sqlite } from '../../src/database/dialects/sqlite.js';
import { openDatabase } from '../../src/database/open.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';

let temporary: TemporaryDatabase;
let database: Database.Database;
beforeAll(async () => {
  temporary = await temporaryDatabase();
  database = new Database(temporary.url.slice('file:'.length), { readonly: true });
});
afterAll(async () => {
  database.close();
  await temporary.remove();
});

type Statement = ReturnType<Dialect['lockChat']>;

function planOf(sql: string, values: readonly unknown[]): string[] {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return rows.map((row) => row.detail);
}

/** The steps of a plan that read a whole table, be it along an index, save for keys in JSON and the walk's own rows. */
function scansOf(sql: string, values: readonly unknown[]): string[] {
  const walks = Array.from(sql.matchAll(/(?:WITH RECURSIVE|\),)\s+(\w+)\(/g), ([, name]) => name);
  return planOf(sql, values).filter((step) => {
    const [, table] = /^SCAN ([a-z_]\w*)/.exec(step) ?? [];
    return table !== undefined && !step.includes('VIRTUAL TABLE') && !walks.includes(table);
  });
}

const message = { chatId: 'c', parentId: null, name: 'user', type: 'message', data: '1', createdAt: 0, preview: '' };
const placed = { ...message, id: 'm', depth: 0, seq: 1, siblingIndex: 0, jumpId: 'm' };
const chat = { id: 'c', userId: 'u', title: null, metadata: '{}', createdAt: 0, updatedAt: 0, version: 1 };
const text = { messageId: 'm', chatId: 'c', name: 'user', createdAt: 0, seq: 1, length: 1, terms: ' a ' };
const wanted = {
  required: [' a '],
  excluded: [' b '],
  index: [{ term: 'a', isPrefix: false }],
  names: ['user'],
  limit: 9,
};
const beyond = { score: 1, createdAt: 0, chatId: 'c', seq: 1 };
const names = [{ chatId: 'c', name: 'main' }];
const seqs = [{ chatId: 'c', firstSeq: 1, lastSeq: 9 }];
const ranks = [{ chatId: 'c', start: 0, end: 5 }];
const tables = ['branches', 'checkpoints'] as const;

/** Every statement, with as many arguments as it needs to show all of its forms. */
const statements: Record<
  Exclude<
    keyof Dialect,
    'failure' | 'rows' | 'metadata' | 'identity' | 'chats' | 'chatCount' | 'chatsAfter' | 'messagesAfter'
  >,
  Statement[]
> = {
  insertChat: [sqlite.insertChat(chat)],
  updateChat: [sqlite.updateChat(chat)],
  insertTexts: [sqlite.insertTexts([text])],
  branchNames: [sqlite.branchNames('c', 'main')],
  hits: [
    sqlite.hits({ ...wanted, userId: null, chatId: 'c', after: null }),
    sqlite.hits({ ...wanted, userId: 'u', chatId: null, after: beyond }),
  ],
  messageSizes: [sqlite.messageSizes({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
  chatsById: [sqlite.chatsById(['c'])],
  lockChat: [sqlite.lockChat('c')],
  ladder: [sqlite.ladder('m')],
  lastAssistant: [sqlite.lastAssistant('m')],
  insertMessages: [sqlite.insertMessages([placed])],
  messagesById: [sqlite.messagesById(['m'])],
  paths: [
    sqlite.paths([
      { messageId: 'm', toDepth: null, length: 9 },
      { messageId: 'm', toDepth: 3, length: 1 },
    ]),
  ],
  newestChildren: [sqlite.newestChildren(['m', 'n'])],
  latestLeaf: [sqlite.latestLeaf('m')],
  childCounts: [
    sqlite.childCounts([
      { chatId: 'c', parentId: 'm' },
      { chatId: 'c', parentId: null },
    ]),
  ],
  children: [sqlite.children([{ chatId: 'c', parentId: null, start: 0, end: 5 }])],
  messageCounts: [sqlite.messageCounts(['c'])],
  newestMessages: [sqlite.newestMessages(['c'])],
  messageRanges: [sqlite.messageRanges(seqs)],
  graphs: [sqlite.graphs(['c'])],
  branchesById: [sqlite.branchesById(['b'])],
  branchesByName: [sqlite.branchesByName(names)],
  activeBranches: [sqlite.activeBranches(['c'])],
  branchesAt: [sqlite.branchesAt(['m'])],
  branchesOf: [sqlite.branchesOf(['c'])],
  ancestors: [sqlite.ancestors([{ messageId: 'm', toDepth: 3 }])],
  linksAbove: [sqlite.linksAbove([{ messageId: 'm', toDepth: 3 }])],
  rankBounds: tables.flatMap((table) => [
    sqlite.rankBounds(table, ['c'], null, null),
    sqlite.rankBounds(table, ['c'], 1, 9),
  ]),
  ranked: tables.map((table) => sqlite.ranked(table, ranks)),
  checkpointsAt: [sqlite.checkpointsAt(['m'])],
  checkpointsById: [sqlite.checkpointsById(['p'])],
  checkpointsByName: [sqlite.checkpointsByName(names)],
  events: [sqlite.events(seqs)],
};

describe('every statement finds its rows by an index', () => {
  it.each(Object.entries(statements))('%s', (_, forms) => {
    for (const { sql, values } of forms) expect(scansOf(sql, values)).toEqual([]);
  });

  it.each([
    ['latestLeaf', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['newestChildren', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['childCounts', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['children', '(chatId=? AND parentId=? AND siblingIndex>? AND siblingIndex<?)'],
    ['messageRanges', '(chatId=? AND seq>? AND seq<?)'],
    ['events', '(chatId=? AND seq>? AND seq<?)'],
    ['activeBranches', 'branches_one_active_per_chat'],
    ['branchesByName', '(chatId=? AND name=?)'],
    ['branchesAt', '(chatId=? AND headMessageId=?)'],
    ['checkpointsByName', '(chatId=? AND name=?)'],
    ['checkpointsAt', '(chatId=? AND messageId=?)'],
  ] as const)('%s goes by all of %s, and reads no more of the chat', (name, index) => {
    for (const { sql, values } of statements[name]) expect(planOf(sql, values).join('\n')).toContain(index);
  });

  it('and so does every other one that a change sends', async () => {
    const sent = new Set<string>();
    const { store, reads } = await openDatabase({ url: temporary.url, onStatement: (sql) => sent.add(sql) });
    const viewer = { userId: 'u', isAdmin: true };
    const chatId = 'changed';
    const say = (id: string) => ({ id, name: 'user', content: { text: id } });
    await createChat(store, viewer, { id: chatId });
    await updateChat(store, viewer, { id: chatId, title: 'x', metadata: { a: 1 } });
    await saveMessages(store, viewer, { chatId, messages: [say('m1'), say('m2')] });
    await editMessage(store, viewer, { chatId, messageId: 'm2', content: { text: 'x' } });
    await rewind(store, viewer, { chatId, messageId: 'm1' });
    await btw(store, viewer, { chatId });
    await switchBranch(store, viewer, { chatId, name: 'main' });
    await switchToSibling(store, viewer, { chatId, messageId: 'm2' });
    for (let n = 0; n < 2; n++) await createCheckpoint(store, viewer, { chatId, name: 'x' });
    await restoreCheckpoint(store, viewer, { chatId, name: 'x' });
    await deleteCheckpoint(store, viewer, { chatId, name: 'x' });
    await Promise.all([reads.chats([chatId]), reads.checkpoints(['x'])]);
    await deleteChat(store, viewer, chatId);
    await store.close();

    expect([...sent].filter((sql) => sql.includes('DELETE FROM')).length).toBeGreaterThanOrEqual(2);
    for (const sql of sent) {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      expect({ sql, scans: scansOf(sql, values) }).toEqual({ sql, scans: [] });
    }
  });
});

describe('the list of chats', () => {
  const at = { updatedAt: 5, id: 'c' };
  const ranges = [
    { after: null, before: null },
    { after: at, before: null },
    { after: null, before: at },
    { after: at, before: at },
  ];
  const metadata = ['"x"', '1', 'true', 'null', '{}'].map((equals) => ({ key: 'k', equals }));

  it.each([
    ["everybody's", { userId: null, metadata: [] }, 'chats_updatedAt_id_idx'],
    ["one user's", { userId: 'u', metadata: [] }, 'chats_userId_updatedAt_id_idx'],
    ["everybody's with certain metadata", { userId: null, metadata }, 'chats_updatedAt_id_idx'],
    ["one user's with certain metadata", { userId: 'u', metadata }, 'chats_userId_updatedAt_id_idx'],
  ])('is read in its order along its index, and never sorted: %s', (_, filter, index) => {
    for (const range of ranges) {
      for (const order of ['newest', 'oldest'] as const) {
        const { sql, values } = sqlite.chats(filter, range, order, 20);
        const plan = planOf(sql, values);
        expect(plan[0]).toMatch(new RegExp(`^(SCAN|SEARCH) chats USING INDEX ${index}\\b`));
        expect(plan.join('\n')).not.toContain('TEMP B-TREE');
        // From the cursor on, not from the beginning of the list.
        if (range.after !== null || filter.userId !== null) expect(scansOf(sql, values)).toEqual([]);
      }
    }
  });

  it('is counted without reading the rows, where metadata does not matter', () => {
    for (const userId of [null, 'u']) {
      const { sql, values } = sqlite.chatCount({ userId, metadata: [] });
      expect(planOf(sql, values)[0]).toMatch(/USING COVERING INDEX/);
    }
  });
});
