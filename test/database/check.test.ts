/** `npm run check`: every damage that a row can have is found, and a sound database has no findings. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember } from '../../src/features/members/members.js';
import { createChat } from '../../src/conversation/chats.js';
import { createCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import { deleteBranch } from '../../src/conversation/branches/branches.js';
import { appendToDraft } from '../../src/features/drafts/change-draft.js';
import { finishDraft } from '../../src/features/drafts/finish-draft.js';
import { startDraft } from '../../src/features/drafts/start-draft.js';
import { btw } from '../../src/conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../src/conversation/saving/save.js';
import { checkDatabase } from '../../src/features/maintenance/checking/check-database.js';
import { ALL_CHECKS } from '../../src/features/all-features.js';
import { fileStatements } from '../../src/features/files/statements.js';
import { DatabaseFileRecords } from '../../src/features/files/records/database-file-records.js';
import type { Finding } from '../../src/features/maintenance/checking/check-report.js';
import { StorageQuotas } from '../../src/features/quotas/storage-quotas.js';
import { shareStatements } from '../../src/features/shares/share-records.js';
import { indexTitles } from '../../src/database/writing/index-titles.js';
import type { ConversationStore } from '../../src/conversation/store.js';
import { tableAt } from '../support/database/all-rows.js';
import { writeChain } from '../support/chats/large-chats.js';
import { damagingDatabase, type RawDatabase } from '../support/database/raw-database.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

type Row = Record<string, string | number | boolean | null>;

/** Columns whose values are free: no other row depends on them. */
const FREE: Record<string, readonly string[]> = {
  // npm run verify checks contentHash and usage.
  chats: ['userId', 'title', 'metadata', 'createdAt', 'updatedAt', 'usage', 'indexedTitle'],
  messages: ['type', 'preview', 'data', 'createdBy', 'contentHash', 'usage'],
  message_runs: [],
  message_sources: ['sourceSeq'],
  message_source_hashes: [],
  chat_forks: ['fromMessageId'],
  chat_title_words: ['word'],
  message_texts: ['id', 'length', 'terms', 'vector'],
  branches: ['name', 'createdAt'],
  checkpoints: ['name', 'createdAt'],
  shares: [
    'id',
    'tokenHash',
    'title',
    'contentHash',
    'hiddenDepths',
    'includeReasoning',
    'includeTools',
    'createdAt',
    'expiresAt',
    ...['sharerName', 'branchName', 'branches'],
  ],
  chat_events: ['actorId', 'createdAt'],
  drafts: [
    ...['onConflict', 'activation', 'name', 'metadata', 'idleTimeout', 'startedBy', 'startedAt', 'updatedAt'],
    ...['stoppedBy', 'endedAt'],
  ],
  draft_chunks: [],
  chat_members: ['addedAt', 'addedBy'],
  chat_storage: [],
  chat_imports: ['userId', 'holder', 'expiresAt', 'afterSeq', 'deletedAt'],
  files: ['mediaType', 'size', 'createdAt', 'usedAt'],
  message_files: [],
  user_files: ['usedAt'],
  file_contents: ['content'],
  file_removals: ['removeAfter'],
};

/** The rows of the chat "mine", where its id is in another column. */
const OWNED: Record<string, string> = {
  chats: `"id" = 'mine'`,
  draft_chunks: `"draftId" = 'mine-draft'`,
  files: `"id" = '${fileOf('mine')}'`,
  user_files: `"fileId" = '${fileOf('mine')}'`,
  file_contents: `"storageKey" LIKE '%-unused'`,
  file_removals: `"storageKey" LIKE '%-unused'`,
};

function fileOf(chatId: string): string {
  return createHash('sha256').update(chatId).digest('hex');
}

const keyOf = (chatId: string, suffix: string) => `${fileOf(chatId).slice(0, 2)}/${fileOf(chatId)}-${suffix}`;

/** A message with two references to a file, and a content whose removal is due. */
async function writeFiles({ store, connection }: TemporaryDatabase, chatId: string): Promise<void> {
  const viewer = { userId: `owner of ${chatId}`, isAdmin: false };
  const records = new DatabaseFileRecords(connection, { unusedForMs: 1_000 });
  await records.announce(keyOf(chatId, 'used'));
  const file = { id: fileOf(chatId), mediaType: 'text/plain', size: chatId.length, storageKey: keyOf(chatId, 'used') };
  await records.add(viewer.userId, file);
  await records.announce(keyOf(chatId, 'unused'));
  const content = Buffer.from(chatId).toString('base64');
  const { write } = connection;
  const sql = fileStatements(connection.sql.differences);
  for (const suffix of ['used', 'unused']) {
    await write(chatId, (tx) => tx.run(sql.insertContent({ storageKey: keyOf(chatId, suffix), content })));
  }
  const part = (name: string) => ({ type: 'file', filename: name, url: `parley:file:${fileOf(chatId)}` });
  const data = { role: 'user', parts: [part('one'), part('two')] };
  await saveMessages(store, viewer, { chatId, messages: [{ id: `${chatId}-files`, name: 'user', content: { data } }] });
}

/** A chat with rows in every table, whose ids begin with its own. */
async function writeChat(store: ConversationStore, chatId: string): Promise<void> {
  const viewer = { userId: `owner of ${chatId}`, isAdmin: false };
  const message = (id: string) => ({ id: `${chatId}-${id}`, name: 'user', content: { text: id } });
  await createChat(store, viewer, { id: chatId, title: 'Word' });
  const merge = { ...message('5'), sourceIds: [`${chatId}-1`, `${chatId}-4`] };
  await saveMessages(store, viewer, { chatId, messages: [...['1', '2', '3', '4'].map(message), merge] });
  await editMessage(store, viewer, {
    chatId,
    messageId: `${chatId}-3`,
    content: { text: 'other' },
    id: `${chatId}-3b`,
  });
  await editMessage(store, viewer, { chatId, messageId: `${chatId}-1`, content: { text: 'root' }, id: `${chatId}-1b` });
  await addMember(store, viewer, { chatId, userId: 'reader', role: 'READER' });
  await createCheckpoint(store, viewer, { chatId, name: 'here', messageId: `${chatId}-4` });
  await btw(store, viewer, { chatId, branchName: 'deleted' });
  await deleteBranch(store, viewer, { chatId, name: 'deleted' });
  for (const id of [`${chatId}-draft`, `${chatId}-finished`]) {
    await startDraft(store, viewer, { chatId, id });
    for (const offset of [0, 1]) await appendToDraft(store, viewer, { chatId, id, offset, chunks: ['🎉'] });
  }
  await finishDraft(store, viewer, { chatId, id: `${chatId}-finished` });
}

/** Values that a column of a row of the chat "mine" must not have. */
function damages(table: string, column: string, row: Row, foreignBranch: string): (string | number | boolean | null)[] {
  const value = row[column] ?? null;
  if (column === 'payload') return payloads(String(value), foreignBranch).map((payload) => JSON.stringify(payload));
  // The pieces of an ended draft are removed in steps.
  if (/^(length|bytes)$/.test(column) && row['endedAt'] !== null) return [];
  if (column === 'chunks') return ['[]', '["longer"]', 'no JSON'];
  if (column === 'type') return ['Unknown'];
  if (column === 'fromChatId') return [null];
  if (column === 'isActive') return [typeof value === 'number' ? 1 - value : !value];
  if (/branchId$/i.test(column)) return [foreignBranch];
  // An older version is counted again.
  if (column === 'version' && table === 'chat_storage') return [Number(value) + 1];
  if (column === 'storageKey') return ['forged', keyOf('mine', 'used')].filter((key) => key !== value);
  if (column === 'fileId') return [fileOf('nowhere'), fileOf('other')];
  if (column === 'chatId') return table === 'chat_imports' ? ['nowhere'] : ['nowhere', 'other'];
  if (column === 'messageId' && table === 'drafts' && value === null) return ['mine-1'];
  if (column === 'userId' && table === 'chat_members') return ['owner of mine'];
  if (/id$/i.test(column)) {
    if (column === 'id') return ['nowhere'];
    const isJump = column === 'jumpId' && value !== 'mine-5' ? ['mine-5'] : [];
    return [...(value === null ? [] : ['nowhere']), column === 'draftId' ? 'other-draft' : 'other-1', ...isJump];
  }
  return typeof value === 'string' ? ['forged'] : [Number(value) + 1, Number(value) - 1, Number(value) + 1000];
}

/** A payload with each of its ids forged, and without each of its members. */
function payloads(json: string, foreignBranch: string): unknown[] {
  const payload = JSON.parse(json) as Record<string, unknown>;
  return Object.keys(payload).flatMap((member) => {
    const { [member]: _, ...rest } = payload;
    if (!member.endsWith('Id') || /userId$/i.test(member)) return [rest];
    const foreign = member === 'branchId' ? foreignBranch : 'other-1';
    const ids = member === 'checkpointId' ? ['nowhere'] : ['nowhere', foreign];
    return [rest, ...ids.map((id) => ({ ...payload, [member]: id }))];
  });
}

describe('npm run check', () => {
  let database: TemporaryDatabase;
  let damaging: RawDatabase;
  beforeAll(async () => {
    database = await temporaryDatabase();
    for (const chatId of ['mine', 'other']) {
      await writeChat(database.store, chatId);
      await writeFiles(database, chatId);
    }
    const openImport = { chatId: 'mine', userId: 'u', holder: 'h', expiresAt: 1, afterSeq: 5, deletedAt: null };
    const { write, sql } = database.connection;
    await write('mine', (tx) => tx.run(sql.insertRows('chat_imports', [openImport])));
    await indexTitles(database.connection);
    await new StorageQuotas(database.connection, null).use('owner of mine');
    const { insertShare } = shareStatements(sql.differences);
    const hashes = { tokenHash: 'h', contentHash: 'h', hiddenDepths: null };
    const share = { id: 's', chatId: 'mine', messageId: 'mine-1', title: null, createdAt: 0, expiresAt: null };
    const included = {
      includeReasoning: false,
      includeTools: false,
      sharerName: null,
      branchName: null,
      branches: null,
    };
    await write('mine', (tx) => tx.run(insertShare({ ...share, ...hashes, ...included })));
    for (const chatId of ['mine', 'other']) {
      const source = { chatId, seq: 5, position: 2, hash: fileOf(chatId) };
      await write(chatId, (tx) => tx.run(sql.insert('message_source_hashes', [source])));
      await write(chatId, (tx) =>
        tx.run(sql.insertRows('chat_forks', [{ chatId, fromChatId: 'gone', fromMessageId: 'gone-1' }])),
      );
    }
  });
  afterAll(() => database.remove());

  const check = async () => (await checkDatabase(database.connection, ALL_CHECKS)).findings;
  const literal = (value: Row[string]) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  const named = (table: string) => tableAt(database.url, table).sql;
  /** Returns false where an index of the database refuses the value. */
  const set = async (table: string, row: Row, column: string, value: Row[string]) => {
    const { key } = ALL_CHECKS.find((check) => check.table === table)!;
    const where = key.map((name) => `"${name}" = ${literal(row[name]!)}`).join(' AND ');
    try {
      await damaging.run(`UPDATE ${named(table)} SET "${column}" = ${literal(value)} WHERE ${where}`);
      return true;
    } catch (error) {
      if (database.connection.sql.failure(error) !== 'duplicate') throw error;
      return false;
    }
  };

  it('has no findings in a sound database', async () => {
    expect(await check()).toEqual([]);
  });

  it('has no findings during writes', async () => {
    const chats = ['live 1', 'live 2'];
    const state = { isDone: false };
    const writing = Promise.all(
      chats.map(async (chatId) => {
        await writeChat(database.store, chatId);
        await writeChain(database.store, `${chatId} chain`, 3_000);
        await database.store.remove(`${chatId} chain`, 'admin');
      }),
    ).finally(() => (state.isDone = true));
    let checks = 0;
    for (; !state.isDone; checks++) expect(await check()).toEqual([]);
    await writing;
    expect(checks).toBeGreaterThan(1);
  });

  it('skips the rows of a chat that is being removed', async () => {
    damaging = await damagingDatabase(database.url);
    const chats = named('chats');
    await damaging.run(`UPDATE ${chats} SET "version" = "version" + 1 WHERE "id" = 'other'`);
    expect(await check()).toMatchObject([{ table: 'chats', row: { id: 'other' } }]);
    await damaging.run(`UPDATE ${chats} SET "userId" = '' WHERE "id" = 'other'`);
    expect(await check()).toEqual([]);
    await damaging.run(
      `UPDATE ${chats} SET "userId" = 'owner of other', "version" = "version" - 1 WHERE "id" = 'other'`,
    );
  });

  it('finds a wrong value in any column of any row, and each problem that it looks for', async () => {
    damaging = await damagingDatabase(database.url);
    const [branch] = await damaging.rows<Row>(`SELECT "id" FROM ${named('branches')} WHERE "chatId" = 'other'`);
    const found: Finding[] = [];
    for (const { table, key } of ALL_CHECKS) {
      const owner = OWNED[table] ?? `"chatId" = 'mine'`;
      const rows = await damaging.rows<Row>(
        `SELECT * FROM ${named(table)} WHERE ${owner} ORDER BY "${key.join('", "')}"`,
      );
      expect(rows.length, table).toBeGreaterThan(0);
      for (const row of rows) {
        for (const column of Object.keys(row).filter((name) => !FREE[table]!.includes(name))) {
          for (const value of damages(table, column, row, String(branch!['id']))) {
            if (!(await set(table, row, column, value))) continue;
            const findings = await check();
            await set(table, { ...row, [column]: value }, column, row[column]!);
            expect(findings, JSON.stringify({ table, row, column, value })).not.toEqual([]);
            found.push(...findings);
          }
        }
      }
    }
    expect(await check()).toEqual([]);
    const kinds = new Set(found.map(({ table, problem }) => `${table}: ${problem}`));
    const wanted = ALL_CHECKS.flatMap(({ table, problems }) => problems.map(([problem]) => `${table}: ${problem}`));
    expect(wanted.filter((kind) => !kinds.has(kind))).toEqual([]);
  });
});
