import { setTimeout as pause } from 'node:timers/promises';
import type { ClosedDatabase, Provider } from '../connection/connection.js';
import { inSteps } from '../connection/pipeline.js';
import { driverMessage } from '../dialects/driver-error.js';

/** Milliseconds between attempts to reopen, and the factor of the last attempt's duration. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

export interface ReopeningOptions {
  open: () => Promise<Provider>;
  /** Called on loss, before reopening: the content may differ afterwards. */
  onLost?: ((error: Error) => void) | undefined;
  /** A log line for the loss and the recovery. */
  log?: ((line: string) => void) | undefined;
}

/**
 * A database that is reopened automatically after a loss. Until then calls fail with the lost connection's error. Other
 * databases are returned unchanged.
 */
export function reopening(first: Provider, { open, onLost, log = () => {} }: ReopeningOptions): Provider {
  if (first.lost === null) return first;
  let current = first;
  const closing = new AbortController();
  const { signal } = closing;

  const openAgain = async ({ moveLogAside }: ClosedDatabase): Promise<Provider | null> => {
    let failure: unknown = null;
    for (let logged = ''; !signal.aborted;) {
      const began = Date.now();
      try {
        const aside = moveLogAside(failure);
        if (aside !== null) log(`The unwritten changes of the lost database are saved in ${aside}`);
        return await open();
      } catch (error) {
        failure = error;
        const reason = driverMessage(error);
        if (reason !== logged) log(`Reopening the database failed: ${reason}`);
        logged = reason;
      }
      const rest = Math.min(Math.max(FIRST_PAUSE_MS, 3 * (Date.now() - began)), LAST_PAUSE_MS);
      await pause(rest, undefined, { ref: false, signal }).catch(() => {});
    }
    return null;
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const lost = await Promise.race([current.lost, closed]);
      if (lost === null) return;
      log(`The database connection is lost: ${driverMessage(lost.error)}`);
      onLost?.(lost.error);
      const next = await openAgain(lost);
      if (next === null) return;
      current = next;
      log('The database was reopened');
    }
  };
  const closed = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
  const watching = watch();

  return {
    ...first,
    read: (...asked) => current.read(...asked),
    long: {
      rows: (...asked) => current.long.rows(...asked),
      bytes: (...asked) => current.long.bytes(...asked),
    },
    probe: (query) => current.probe(query),
    ...inSteps({}, (job) => current.transact(job)),
    takesChanges: () => current.takesChanges(),
    emptyLog: () => current.emptyLog(),
    close: async () => {
      closing.abort();
      await watching;
      await current.close();
    },
  };
}
