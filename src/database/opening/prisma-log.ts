/**
 * Prisma keeps its last 100 log lines for error reports, also when none are printed, and in those of raw statements are all
 * of their values: after a hundred large saves that would be gigabytes. The client has a log of its own, and the driver
 * adapters share another one.
 */
import { Debug } from '@prisma/client/runtime/client';
import type { Sql } from '@prisma/client/runtime/client';
import { clearLogs } from '@prisma/debug';

const LINES_KEPT = 100;

const log = Debug('parley');

/** Lets go of the values of a statement that was sent, and of those before it, if a log of such ones would be a burden. */
export function forgetStatement({ values }: Sql): void {
  const isLarge = values.some((value) => (typeof value === 'string' || Array.isArray(value)) && value.length > 1_000);
  if (!isLarge) return;
  clearLogs();
  // The client's has no function that clears it.
  for (let line = 0; line < LINES_KEPT; line++) log('');
}
