import type { Deadline } from '../conversation/deadline.js';
import type { Connection } from './connection.js';

/**
 * The same database to one operation, until its deadline. A query that runs then is not cut off: SQLite runs each without
 * a pause, and PostgreSQL has a limit of its own on statements. Its result is not waited for, and no other begins.
 */
export function withinDeadline(connection: Connection, deadline: Deadline): Connection {
  return {
    ...connection,
    read: async (query) => {
      deadline.check();
      return connection.read(async (client) => {
        // It may have waited for its turn.
        deadline.check();
        return query(client);
      });
    },
    write: (key, work) =>
      deadline.transaction(async ({ begin, commit }) => {
        deadline.check();
        return connection.write(key, async (tx) => {
          begin();
          const result = await work(tx);
          commit();
          return result;
        });
      }),
  };
}
