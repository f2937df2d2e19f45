/** New databases of the kind that the tests run on. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import type { Connection } from '../../../src/database/opening/connection.js';
import { connect } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/writing/database-store.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { databaseKind } from './database-kind.js';
import { allRows, type AllRows } from './all-rows.js';
import { dropSchema, emptySchema, urlOfSchema } from './test-schema.js';

const FILE = 'parley.db';

/** The bytes of a migrated SQLite file without chats: migrating takes twice as long as opening. */
const migratedFile = databaseKind === 'sqlite' ? await migrateFile() : undefined;

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const { connection } = await connect(place(folder).url, { migrate: true });
  await connection.close();
  const bytes = readFileSync(join(folder, FILE));
  rmSync(folder, { recursive: true });
  return bytes;
}

/** The URL of a database that does not exist yet: a server creates it, and it is removed with the test. */
export function temporaryDatabaseUrl(): string {
  return urlDuringTest(mkdtempSync(join(tmpdir(), 'parley-test-')));
}

function urlDuringTest(folder: string): string {
  const { url, remove } = place(folder);
  onTestFinished(async () => {
    await remove();
    rmSync(folder, { recursive: true, force: true });
  });
  return url;
}

/** Schemas on PostgreSQL that are migrated and have no chats. */
const free: string[] = [];

/**
 * The URL of a migrated database for a test that changes no schema and needs no demo. On PostgreSQL, where creating a
 * database takes longer than most tests, it is one that a previous test has left.
 */
export function emptyDatabaseUrl(): string {
  if (databaseKind !== 'postgresql') return urlDuringTest(migratedFolder());
  const serverUrl = inject('serverUrl');
  const schema = free.pop() ?? unusedSchema();
  onTestFinished(async () => {
    await emptySchema(schema, serverUrl);
    free.push(schema);
  });
  return urlOfSchema(schema, serverUrl);
}

/** A PostgreSQL database that many tests share and empty between them. */
export function lastingDatabase(): { url: string; empty(): Promise<void>; remove(): Promise<void> } {
  const serverUrl = inject('serverUrl');
  const schema = unusedSchema();
  return {
    url: urlOfSchema(schema, serverUrl),
    empty: () => emptySchema(schema, serverUrl),
    remove: () => dropSchema(schema, serverUrl),
  };
}

/** A migrated database with an open connection. */
export interface TemporaryDatabase {
  url: string;
  /** For files of the test. */
  folder: string;
  store: ConversationStore;
  reads: ConversationReads;
  /** Bypasses the rules. */
  connection: Connection;
  /** To verify that nothing was written. */
  allRows(): Promise<AllRows>;
  remove(): Promise<void>;
}

export async function temporaryDatabase(onStatement?: (sql: string) => void): Promise<TemporaryDatabase> {
  const folder = migratedFolder();
  const { url, remove } = place(folder);
  const { connection } = await connect(url, { migrate: true, onStatement });
  return {
    url,
    folder,
    connection,
    store: new DatabaseStore(connection),
    reads: createReads(connection),
    allRows: () => allRows(connection, url),
    async remove() {
      await connection.close();
      await remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A folder with a migrated file, where databases are files. */
function migratedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  if (migratedFile !== undefined) writeFileSync(join(folder, FILE), migratedFile);
  return folder;
}

function place(folder: string): { url: string; remove: () => Promise<void> } {
  if (databaseKind === 'memory') return { url: ':memory:', remove: () => Promise.resolve() };
  // The file is removed with its folder.
  if (databaseKind === 'sqlite') return { url: `file:${join(folder, FILE)}`, remove: () => Promise.resolve() };
  const serverUrl = inject('serverUrl');
  const schema = unusedSchema();
  return { url: urlOfSchema(schema, serverUrl), remove: () => dropSchema(schema, serverUrl) };
}

const unusedSchema = () => `${inject('schemaPrefix')}${randomBytes(6).toString('hex')}`;
