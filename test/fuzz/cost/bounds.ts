/** The bounds of any operation within the documented limits: see docs/limits.md. */
import type { Turns } from './server.js';

/** The longest turn of the event loop, in milliseconds of processor time. */
export const MAX_TURN_MS = 100;

/** Memory beyond the accounts: code, caches, and values that no account counts. */
const UNCOUNTED_BYTES = 64 * 2 ** 20;

/**
 * The growth of memory that the accounts of values and of unread responses permit.
 * @param operations at once, of one user
 */
export function memoryBudget(operations: number, heapLimitBytes: number): number {
  const most = Math.min(128 * 2 ** 20, heapLimitBytes / 32);
  const values = Math.min(operations * most, Math.max(most, (heapLimitBytes / 16) * 0.75));
  const responses = Math.min(operations * most, heapLimitBytes / 8, 256 * 2 ** 20);
  return values + responses + UNCOUNTED_BYTES;
}

/** The exceeded bounds, in words. */
export function excesses({ turnMs, grownBytes, heapLimitBytes }: Turns, operations: number): string[] {
  return [
    ...(turnMs > MAX_TURN_MS ? ['a long turn'] : []),
    ...(grownBytes > memoryBudget(operations, heapLimitBytes) ? ['too much memory'] : []),
  ];
}
