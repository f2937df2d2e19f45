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

/**
 * How often a property is tried: less often on a server, where every statement crosses a socket, and on the database in
 * memory, whose statements are those of the file.
 */
export function runs(count: number): number {
  return databaseKind === 'sqlite' ? count : Math.ceil(count / 4);
}
