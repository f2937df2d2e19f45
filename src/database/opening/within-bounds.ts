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
  const wanted = async <T>(query: () => Promise<T>): Promise<T> => {
    // An abandoned read would reject without a handler.
    if (content?.isOver === true) return new Promise<never>(() => {});
    check();
    return query();
  };
  return {
    sql,
    read: (query) =>
      wanted(() =>
        read((db) => {
          // The job may have waited for its turn.
          check();
          return query(db);
        }, caller),
      ),
    long: {
      rows: (statement) => wanted(() => long.rows(statement, caller)),
      bytes: (statement) => wanted(() => long.bytes(statement, caller)),
    },
    write: (key, work, options) => write(key, work, { ...options, caller, deadline }),
    scope: { ...scope, content, caller },
    close,
  };
}
