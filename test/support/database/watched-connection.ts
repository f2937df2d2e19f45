import type { Connection, Transaction } from '../../../src/database/connection/connection.js';

/** A connection that reports each transaction, numbered from 1, before its end. A thrown error rolls it back. */
export function watchedConnection<C extends Connection>(
  connection: C,
  beforeEnd: (nth: number, tx: Transaction) => Promise<void> | void,
): C {
  let count = 0;
  const write: Connection['write'] = (key, work, options) => {
    const nth = ++count;
    const watched: typeof work = async (tx) => {
      const result = await work(tx);
      await beforeEnd(nth, tx);
      return result;
    };
    return connection.write(key, watched, options);
  };
  return { ...connection, write };
}

/** A connection that fails in its nth transaction, as if its process ended. */
export function endingIn<C extends Connection>(connection: C, last: number): C {
  return watchedConnection(connection, (nth) => {
    if (nth === last) throw new Error('ended');
  });
}
