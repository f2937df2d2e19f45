import type { Deadline } from '../../limits/deadline.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Connection, Transaction } from './connection.js';

/**
 * The same database for one operation, within its limits. After the deadline no query starts, and running ones are
 * abandoned: PostgreSQL cancels them, SQLite completes each.
 */
export function withinBounds(connection: Connection, { deadline, content, caller }: OperationBounds): Connection {
  const check = () => {
    deadline?.check();
    content?.check();
  };
  const wanted = async <T>(read: () => Promise<T>): Promise<T> => {
    // An abandoned read would reject without a handler.
    if (content?.isOver === true) return new Promise<never>(() => {});
    check();
    return read();
  };
  const { readBytes, write, remove } = connection;
  const changing = (change: Connection['write']) =>
    deadline === undefined ? change : beforeDeadline(change, deadline, caller);
  return {
    ...connection,
    content,
    caller,
    read: (query) =>
      wanted(() =>
        connection.read(async (db) => {
          // The job may have waited for its turn.
          check();
          return query(db);
        }, caller),
      ),
    readLong: (statement) => wanted(() => connection.readLong(statement, caller)),
    ...(readBytes && { readBytes: (statement) => wanted(() => readBytes(statement, caller)) }),
    write: changing(write),
    ...(remove && { remove: changing(remove) }),
  };
}

/** The same transaction, which starts no statement after the deadline. */
function checked(tx: Transaction, deadline: Deadline): Transaction {
  return {
    isPipelined: tx.isPipelined,
    directory: tx.directory,
    yieldIfDue: async () => {
      await tx.yieldIfDue();
      deadline.check();
    },
    rows: async (statement) => {
      deadline.check();
      return tx.rows(statement);
    },
    run: async (statement) => {
      deadline.check();
      return tx.run(statement);
    },
    runLast: (statement) => tx.runLast(statement),
  };
}

function beforeDeadline(write: Connection['write'], deadline: Deadline, caller?: Caller): Connection['write'] {
  return (key, work) =>
    deadline.transaction(async ({ begin, commit }) => {
      deadline.check();
      const whole: typeof work = async (tx) => {
        begin();
        const result = await work(checked(tx, deadline));
        commit();
        return result;
      };
      return write(key, whole, caller);
    });
}
