import type { Transaction } from './connection.js';

/**
 * Does the work of a transaction, which can be used no longer than that takes: a statement that comes later would run outside
 * of it, or in somebody else's.
 */
export async function inScope<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let isOver = false;
  const open = (): Transaction => {
    if (isOver) throw new Error('the transaction is over');
    return tx;
  };
  try {
    return await work({
      yieldIfDue: async () => open().yieldIfDue(),
      rows: async (statement) => open().rows(statement),
      run: async (statement) => open().run(statement),
      runLast: (statement) => open().runLast(statement),
    });
  } finally {
    isOver = true;
  }
}
