/** The database of the behaviour tests: vitest.config.ts has one project for each kind. */
import type pg from 'pg';
import { inject } from 'vitest';

export type DatabaseKind = 'sqlite' | 'memory' | 'postgresql' | 'sqlserver';

declare module 'vitest' {
  interface ProvidedContext {
    databaseKind: DatabaseKind;
    /** A standby of the database, from which servers read; empty without one. */
    readUrl: string;
    /** The database in which each test creates a schema; for database servers only. */
    serverUrl: string;
    /** Prefix of the schema names of this run. */
    schemaPrefix: string;
    /** The form of PostgreSQL schemas; missing for that of the migrations. */
    distributedForm?: 'partitions' | 'citus';
    /** The reason why this kind of database is unavailable. */
    reason: string;
  }
}

export const databaseKind = inject('databaseKind');

/** A database in memory ends with its connection, and has no other clients. */
export const isInMemory = databaseKind === 'memory';

/** Whether the chats of a schema are in partitions, or in shards of Citus. */
export const isDistributed = inject('distributedForm') !== undefined;

/** Additions to the setup of tests on the distributed form: see test/features/distribution/prepare.ts. */
export const distribution: {
  migrate?(url: string): Promise<void>;
  completeUserChats?(client: pg.ClientBase): Promise<void>;
} = {};
