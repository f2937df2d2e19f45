/** On which database the suite of behaviour runs: each is a project of vitest.config.ts. */
import { inject } from 'vitest';

export type DatabaseKind = 'sqlite' | 'memory' | 'postgresql' | 'sqlserver';

declare module 'vitest' {
  interface ProvidedContext {
    databaseKind: DatabaseKind;
    /** The database in which each test has a schema of its own; of a database server only. */
    serverUrl: string;
    /** With which the names of the schemas of this run begin. */
    schemaPrefix: string;
    /** Why there is no database of this kind. */
    reason: string;
  }
}

export const databaseKind = inject('databaseKind');

/** A database in memory is gone when it is closed, and nobody else sees it. */
export const isInMemory = databaseKind === 'memory';
