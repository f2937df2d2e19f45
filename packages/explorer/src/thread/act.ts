import type { Outcome } from '@parley/client';

/** Waits for what was asked of a store, and says why when it was refused. */
export async function act(outcome: Promise<Outcome<unknown>>, onRefused: (message: string) => void): Promise<void> {
  const done = await outcome;
  if (!done.ok) onRefused(done.error.message);
}
