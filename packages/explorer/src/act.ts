import type { Outcome } from '@parley/client';

/** Awaits a write of the store, and shows the reason of a refusal. */
export async function act(outcome: Promise<Outcome<unknown>>, onRefused: (message: string) => void): Promise<void> {
  const done = await outcome;
  if (!done.ok) onRefused(done.error.message);
}
