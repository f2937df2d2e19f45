import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Connection } from './connection.js';

/**
 * The same database for one operation, within its limits. After the deadline no query starts, and running ones are
 * abandoned: PostgreSQL cancels them, SQLite completes each.
 */
export function withinBounds(connection: Connection, { deadline, content, caller }: OperationBounds): Connection {
  const { sql, read, long, write, scope, close } = connection;
  const check = () => {
    deadline?.check();
    content?.check();
  };
  /** Settles when a read may begin: never for an abandoned one, which would reject without a handler. */
  const begin = (): Promise<never> | undefined => {
    if (content?.isOver === true) return new Promise<never>(() => {});
    check();
    return undefined;
  };
  return {
    sql,
    read: async (query) => {
      await begin();
      return read((db) => {
        // The job may have waited for its turn.
        check();
        return query(db);
      }, caller);
    },
    long: {
      rows: async (statement) => {
        await begin();
        return long.rows(statement, caller);
      },
      bytes: async (statement) => {
        await begin();
        return long.bytes(statement, caller);
      },
    },
    write: (key, work, options) => write(key, work, { ...options, caller, deadline }),
    scope: { ...scope, content, caller },
    close,
  };
}
