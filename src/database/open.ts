/** A database, migrated and open: the store behind the rules, and the reads of clients. */
import type { ConversationReads } from '../conversation/reads.js';
import type { ConversationStore } from '../conversation/store.js';
import { openClients, type DatabaseOptions } from './client.js';
import { sqlite } from './dialects/sqlite.js';
import { migrateSqlite } from './migrate.js';
import { PrismaStore } from './prisma-store.js';
import { createReads } from './reads.js';

export interface OpenOptions extends DatabaseOptions {
  /** Milliseconds since 1970, for the times of changes; Date.now by default. */
  clock?: () => number;
}

export interface OpenDatabase {
  /** Whoever opens closes: store.close() ends both. */
  store: ConversationStore;
  reads: ConversationReads;
  /** Whether there was nothing before. */
  isNew: boolean;
}

/**
 * Brings the database up to date and opens it.
 * @throws Error when it cannot be migrated or opened
 */
export async function openDatabase({ url, onStatement, clock }: OpenOptions): Promise<OpenDatabase> {
  const { isNew } = migrateSqlite(url);
  const clients = await openClients({ url, onStatement });
  return { store: new PrismaStore(clients, sqlite, clock), reads: createReads(clients, sqlite), isNew };
}
