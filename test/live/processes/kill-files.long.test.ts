/**
 * SIGKILL during uploads, saves, deletions and sweeps: messages keep their files, and unused files are removed.
 * TEST_FILE_KILLS sets the kills per database, and prints what they met: `TEST_FILE_KILLS=500 npm run test:long -- kill-files`.
 */
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, it } from 'vitest';
import { checkContents } from '../../../src/features/maintenance/checking/content-check.js';
import { checkDatabase } from '../../../src/features/maintenance/checking/check-database.js';
import { ALL_CHECKS } from '../../../src/features/all-features.js';
import { openContents } from '../../../src/features/files/open-files.js';
import { openDatabase, connect } from '../../../src/database/opening/open.js';
import { MessageFiles } from '../../../src/features/files/message-files.js';
import { tableAt } from '../../support/database/all-rows.js';
import { databaseKind } from '../../support/database/database-kind.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** For each database. A process takes most of a second to start: 500 kills take a quarter of an hour or more. */
const KILLS = Number(process.env['TEST_FILE_KILLS'] ?? 12);
const KILLS_PER_CHECK = 10;
const KILLS_PER_REPORT = 100;
const CLIENTS = 4;
/** Maximum of responses to all clients before a kill. */
const MAX_RESPONSES = 60;
const MAX_DELAY_MS = 30;
/** Small enough to store the contents in the database. */
const SIZES = [100, 20_000, 200_000];
const DAY_MS = 24 * 60 * 60_000;
const ADMIN = { userId: 'local', isAdmin: true };

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Acknowledged messages with the hashes of their files, by chat; a chat is missing while its deletion may have happened. */
type Saved = Map<string, Map<string, string>>;

const counts = { uploaded: 0, saved: 0, refused: 0, deleted: 0, contentsRead: 0 };

/** A request that a client awaits. */
type Phase = 'upload' | 'save' | 'delete' | 'none';

/** Clients by their phase at a kill; contents of unfinished uploads and removals, at each check. */
const killed: Record<Phase | 'unfinished', number> = { upload: 0, save: 0, delete: 0, none: 0, unfinished: 0 };

interface Client {
  url: string;
  /** The log of the server. */
  log: () => string;
  chatId: string;
  saved: Saved;
  phase: Phase;
  /** Called after each response; true stops the client. */
  isKilled: () => boolean;
}

/** Uploads, saves and deletes in a chat until the server is killed. */
async function useFiles(client: Client): Promise<void> {
  try {
    for (let n = 0; !client.isKilled(); n++) await useFile(client, n);
  } catch (error) {
    if (!client.isKilled())
      throw new Error(`A request failed before the kill; the log is:\n${client.log()}`, { cause: error });
  }
}

async function useFile(client: Client, n: number): Promise<void> {
  const { url, chatId, saved, isKilled } = client;
  const ask = async (phase: Phase, query: string, variables: object) => {
    client.phase = phase;
    const body = JSON.stringify({ query, variables });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await response.text();
    if (!response.ok || text === '') throw new Error(`The response has status ${response.status} and body "${text}"`);
    const { data } = JSON.parse(text) as { data: Record<string, { __typename: string }> };
    client.phase = 'none';
    isKilled();
    return Object.values(data)[0]!.__typename;
  };
  if (n === 0)
    await ask('none', 'mutation ($id: ID!) { upsertChat(input: { id: $id }) { __typename } }', { id: chatId });
  // Clients share some contents.
  const content = Math.random() < 0.3 ? Buffer.alloc(20_000, Math.floor(Math.random() * 8)) : randomBytes(oneOf(SIZES));
  const id = `${chatId}-${randomBytes(8).toString('hex')}`;
  let fileUrl = `data:application/octet-stream;base64,${content.toString('base64')}`;
  if (content.length < 10_000 || Math.random() < 0.6) {
    client.phase = 'upload';
    const response = await fetch(url.replace('/graphql', `/files?sha256=${sha256(content)}`), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
    });
    fileUrl = ((await response.json()) as { reference: string }).reference;
    client.phase = 'none';
    counts.uploaded++;
    isKilled();
  }
  // Some files are swept before they are saved, and some are never saved.
  if (Math.random() < 0.2) await pause(300);
  if (Math.random() < 0.2) return;
  const data = { parts: [{ type: 'file', filename: 'a.bin', url: fileUrl }] };
  if ((await ask('save', SAVE, { chatId, id, data })) === 'SaveMessagesPayload') {
    counts.saved++;
    messagesOf(saved, chatId).set(id, sha256(content));
  } else counts.refused++;
  if (Math.random() < 0.1) {
    saved.delete(chatId);
    await ask(
      'delete',
      'mutation ($id: ID!) { deleteChat(input: { chatId: $id, permanently: true }) { __typename } }',
      {
        id: chatId,
      },
    );
    await ask('none', 'mutation ($id: ID!) { createChat(input: { id: $id }) { __typename } }', { id: chatId });
    counts.deleted++;
  }
}

const SAVE = `mutation ($chatId: ID!, $id: ID!, $data: JSON!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { data: $data } }] }) { __typename }
}`;

function oneOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}

function messagesOf(saved: Saved, chatId: string): Map<string, string> {
  const messages = saved.get(chatId) ?? new Map<string, string>();
  saved.set(chatId, messages);
  return messages;
}

/** Expects every acknowledged file, and no unused file after the sweeps of a day. */
async function expectNothingLost(databaseUrl: string, saved: Saved): Promise<void> {
  // Sessions of the killed process may still commit.
  await (await holdDatabase(databaseUrl)).release();
  const database = await openDatabase({ url: databaseUrl, migrate: true });
  const { connection } = await connect(databaseUrl, { migrate: false });
  const storage = await openContents({ databaseUrl, filesUrl: undefined, connection });
  const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1, now: () => Date.now() + 2 * DAY_MS });
  const limits = { maxFileBytes: 1, maxUserFileBytes: 1, maxTotalFileBytes: 1 };
  const files = new MessageFiles({
    records,
    storage: () => Promise.resolve(storage),
    limits,
    temporaryFolder: () => Promise.reject(new Error('nothing is uploaded')),
  });
  const contentOf = async (fileId: string, messageId: string) => {
    const file = await records.readable(ADMIN, fileId, messageId);
    if (file === null) return null;
    counts.contentsRead++;
    return sha256(await buffer(await storage.read(file.storageKey, { start: 0, end: file.size - 1 })));
  };
  const expectReadable = async () => {
    for (const messages of saved.values()) {
      for (const [messageId, hash] of messages)
        expect([messageId, await contentOf(hash, messageId)]).toEqual([messageId, hash]);
    }
  };
  await expectReadable();
  killed.unfinished += (await records.removable(1_000)).length;
  for (let sweeps = 0; sweeps < 6 || (await records.removable(1)).length > 0; sweeps++) await files.sweep();
  await expectReadable();
  const report = await checkDatabase(connection, ALL_CHECKS);
  await checkContents(records, storage, report);
  expect(report.problems()).toEqual([]);
  // Only files of messages remain, and no announced removals.
  const rows = async (table: string) =>
    (await connection.read((db) => db.rows<{ total: number }>(connection.sql.countAll(table))))[0]!.total;
  expect(await rows('file_removals')).toBe(0);
  const used = await connection.read((db) =>
    db.rows(sql`SELECT DISTINCT "fileId" FROM ${tableAt(databaseUrl, 'message_files')}`),
  );
  expect([await rows('files'), await rows('user_files')]).toEqual([used.length, used.length]);
  storage.close?.();
  await connection.close();
  await database.store.close();
}

it(`keeps the files of messages, and leaves nothing, in ${KILLS} kills`, async () => {
  const databaseUrl = temporaryDatabaseUrl();
  const saved: Saved = new Map();
  const start = () =>
    startServer({ DATABASE_URL: databaseUrl }, { command: [process.execPath, 'test/live/processes/file-server.mjs'] });
  for (let kill = 1; kill <= KILLS; kill++) {
    const server = await start();
    let responses = Math.ceil(Math.random() * MAX_RESPONSES);
    let isKilled = false;
    const clients: Client[] = [];
    const next = () => {
      if (--responses === 0) {
        // Requests of other clients are at any point of an upload, a save, a deletion or a sweep.
        setTimeout(() => {
          isKilled = true;
          for (const { phase } of clients) killed[phase]++;
          server.kill('SIGKILL');
        }, Math.random() * MAX_DELAY_MS);
      }
      return isKilled;
    };
    for (let n = 0; n < CLIENTS; n++)
      clients.push({ url: server.url, log: server.stderr, chatId: `chat${n}`, saved, phase: 'none', isKilled: next });
    await Promise.all(clients.map(useFiles));
    expect((await server.exited).signal).toBe('SIGKILL');
    if (kill % KILLS_PER_CHECK === 0 || kill === KILLS) await expectNothingLost(databaseUrl, saved);
    if (process.env['TEST_FILE_KILLS'] !== undefined && (kill % KILLS_PER_REPORT === 0 || kill === KILLS))
      process.stdout.write(`${kill} kills of ${databaseKind}: ${JSON.stringify({ killed, ...counts })}\n`);
  }
  expect(counts.saved).toBeGreaterThan(KILLS);
  expect(counts.deleted).toBeGreaterThan(KILLS / 20);
});
