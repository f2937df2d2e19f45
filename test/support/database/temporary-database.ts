/** Databases that nobody has used, of the kind that the tests run on. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
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

/** The URL of a database that is not there yet: a server makes it, and it goes when the test is over. */
export function temporaryDatabaseUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
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
 * The same for a test that changes no schema and needs no demo: on PostgreSQL, where making a database takes longer than
 * most tests do, it is one that a test before has left.
 */
export function emptyDatabaseUrl(): string {
  if (databaseKind !== 'postgresql') return temporaryDatabaseUrl();
  const serverUrl = inject('serverUrl');
  const schema = free.pop() ?? unusedSchema();
  onTestFinished(async () => {
    await emptySchema(schema, serverUrl);
    free.push(schema);
  });
  return urlOfSchema(schema, serverUrl);
}

/** Such a database for as long as it is wanted, by many tests: on PostgreSQL alone, where it can be emptied between them. */
export function lastingDatabase(): { url: string; empty(): Promise<void>; remove(): Promise<void> } {
  const serverUrl = inject('serverUrl');
  const schema = unusedSchema();
  return {
    url: urlOfSchema(schema, serverUrl),
    empty: () => emptySchema(schema, serverUrl),
    remove: () => dropSchema(schema, serverUrl),
  };
}

/** A migrated database, open for the rules and for looking into. */
export interface TemporaryDatabase {
  url: string;
  /** For whatever files a test has. */
  folder: string;
  store: ConversationStore;
  reads: ConversationReads;
  /** Around the rules. */
  connection: Connection;
  /** To see that nothing was written. */
  allRows(): Promise<AllRows>;
  remove(): Promise<void>;
}

export async function temporaryDatabase(onStatement?: (sql: string) => void): Promise<TemporaryDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
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

function place(folder: string): { url: string; remove: () => Promise<void> } {
  if (databaseKind === 'memory') return { url: ':memory:', remove: () => Promise.resolve() };
  // The file goes with its folder.
  if (databaseKind === 'sqlite') return { url: `file:${join(folder, 'parley.db')}`, remove: () => Promise.resolve() };
  const serverUrl = inject('serverUrl');
  const schema = unusedSchema();
  return { url: urlOfSchema(schema, serverUrl), remove: () => dropSchema(schema, serverUrl) };
}

const unusedSchema = () => `${inject('schemaPrefix')}${randomBytes(6).toString('hex')}`;
