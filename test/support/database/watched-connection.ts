import type { Connection, Transaction } from '../../../src/database/opening/connection.js';

/** A connection that reports each transaction, numbered from 1, before its end. A thrown error rolls it back. */
export function watchedConnection(
  connection: Connection,
  beforeEnd: (nth: number, tx: Transaction) => Promise<void> | void,
): Connection {
  let count = 0;
  const { write, remove = write } = connection;
  const watched =
    (change: Connection['write']): Connection['write'] =>
    (key, work) => {
      const nth = ++count;
      return change(key, async (tx) => {
        const result = await work(tx);
        await beforeEnd(nth, tx);
        return result;
      });
    };
  return { ...connection, write: watched(write), remove: watched(remove) };
}

/** A connection that fails in its nth transaction, as if its process ended. */
export function endingIn(connection: Connection, last: number): Connection {
  return watchedConnection(connection, (nth) => {
    if (nth === last) throw new Error('ended');
  });
}
