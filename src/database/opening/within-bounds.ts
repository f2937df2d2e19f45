import type { Deadline } from '../../limits/deadline.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Connection, Transaction } from './connection.js';

/**
 * The same database to one operation, within its bounds. The result of a query that runs at its deadline is not waited for,
 * and no other begins. PostgreSQL ends it then; SQLite runs each without a pause.
 */
export function withinBounds(connection: Connection, { deadline, content, caller }: OperationBounds): Connection {
  const check = () => {
    deadline?.check();
    content?.check();
  };
  const wanted = async <T>(read: () => Promise<T>): Promise<T> => {
    // It would be read for nobody, who would not even catch an error.
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
          // It may have waited for its turn.
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

/** The same transaction, in which nothing more begins once the deadline has passed. */
function checked(tx: Transaction, deadline: Deadline): Transaction {
  return {
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
