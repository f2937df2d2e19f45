import type { Transaction } from './connection.js';

/**
 * Runs the work of a transaction and disables it afterwards: a late statement would run outside of it, or in another
 * one.
 */
export async function inScope<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let isOver = false;
  const open = (): Transaction => {
    if (isOver) throw new Error('the transaction is over');
    return tx;
  };
  try {
    return await work({
      isPipelined: tx.isPipelined,
      directory: tx.directory,
      yieldIfDue: async () => open().yieldIfDue(),
      rows: async (statement) => open().rows(statement),
      run: async (statement) => open().run(statement),
      runLast: (statement) => open().runLast(statement),
    });
  } finally {
    isOver = true;
  }
}
