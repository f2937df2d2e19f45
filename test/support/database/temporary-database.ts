/** New databases of the kind under test. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import type { Provider } from '../../../src/database/connection/connection.js';
import { withHooks } from '../../../src/database/change-hooks.js';
import { fileChanges } from '../../../src/features/files/file-changes.js';
import { connect } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { databaseKind, distribution, isDistributed } from './database-kind.js';
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

/** The URL of a missing database: the server creates it, and the end of the test removes it. */
export function temporaryDatabaseUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const { url, remove } = isDistributed ? migratedPlace(folder) : place(folder);
  onTestFinished(remove);
  return url;
}

/**
 * Migrated PostgreSQL schemas without chats, reused from previous tests: creating a schema takes longer than most
 * tests.
 */
const free: string[] = [];

/** Schemas that are in the distributed form before a test: no server can bring one into it. */
const DISTRIBUTED_SCHEMAS = 3;

/** Creates the schemas of the next test in the distributed form. */
export async function prepareSchemas(): Promise<void> {
  while (free.length < DISTRIBUTED_SCHEMAS) {
    const schema = unusedSchema();
    await distribution.migrate?.(urlOfSchema(schema, inject('serverUrl')));
    free.push(schema);
  }
}

/** The URL of a migrated database, for a test that changes no schema and needs no demo. */
export function emptyDatabaseUrl(): string {
  const { url, remove } = migratedPlace(migratedFolder());
  onTestFinished(remove);
  return url;
}

/** The standby of a database of tests, if its server has one. */
export function readUrlsOf(databaseUrl: string): string[] {
  const readUrl = databaseUrl.startsWith('postgresql:') ? inject('readUrl') : '';
  const schema = readUrl === '' ? null : new URL(databaseUrl).searchParams.get('schema');
  return schema === null ? [] : [urlOfSchema(schema, readUrl)];
}

/** A PostgreSQL database that many tests share and empty between them. */
export function persistentDatabase(): { url: string; empty(): Promise<void>; remove(): Promise<void> } {
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
  /** For files of the test, deleted with the database. */
  folder: string;
  store: ConversationStore;
  reads: ConversationReads;
  /** Writes without validation. */
  connection: Provider;
  /** To verify that nothing was written. */
  allRows(): Promise<AllRows>;
  remove(): Promise<void>;
}

export async function temporaryDatabase(onStatement?: (sql: string) => void): Promise<TemporaryDatabase> {
  const folder = migratedFolder();
  const { url, remove } = migratedPlace(folder);
  const opened = await connect(url, { migrate: true, onStatement });
  // No feature keeps deleted chats.
  const connection = withHooks(opened.connection, [fileChanges(opened.connection)]);
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
    },
  };
}

/** A folder with a migrated file, where databases are files. */
function migratedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  if (migratedFile !== undefined) writeFileSync(join(folder, FILE), migratedFile);
  return folder;
}

interface Place {
  url: string;
  /** Removes the database and its folder. */
  remove(): Promise<void>;
}

function place(folder: string): Place {
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (databaseKind === 'memory') return { url: ':memory:', remove: async () => removeFolder() };
  if (databaseKind === 'sqlite') return { url: `file:${join(folder, FILE)}`, remove: async () => removeFolder() };
  const serverUrl = inject('serverUrl');
  const schema = unusedSchema();
  return {
    url: urlOfSchema(schema, serverUrl),
    async remove() {
      await dropSchema(schema, serverUrl);
      removeFolder();
    },
  };
}

/** A place that is migrated on SQLite and, after the first tests, on PostgreSQL. */
function migratedPlace(folder: string): Place {
  if (databaseKind !== 'postgresql') return place(folder);
  const serverUrl = inject('serverUrl');
  const schema = free.pop() ?? unusedSchema();
  return {
    url: urlOfSchema(schema, serverUrl),
    async remove() {
      await emptySchema(schema, serverUrl, isDistributed);
      free.push(schema);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const unusedSchema = () => `${inject('schemaPrefix')}${randomBytes(6).toString('hex')}`;
