/** A connection that records its statements with their values. */
import type { Sql } from 'sql-template-tag';
import { longReads } from '../../../src/database/connection/long-reads.js';
import type { Connection, Queryable } from '../../../src/database/connection/connection.js';

const SENDING = ['rows', 'run', 'runLast'];

function recorded<Db extends Queryable>(db: Db, record: (statement: Sql) => void): Db {
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: [Sql, ...unknown[]]): unknown => {
        if (SENDING.includes(String(name))) record(args[0]);
        return member.apply(target, args);
      };
    },
  });
}

export function recordedConnection(connection: Connection, record: (statement: Sql) => void): Connection {
  return {
    ...connection,
    read: (query, caller) => connection.read((db) => query(recorded(db, record)), caller),
    long: longReads((statement, caller) => {
      record(statement);
      return connection.long.rows(statement, caller);
    }),
    write: (key, work, options) => connection.write(key, (tx) => work(recorded(tx, record)), options),
  };
}
