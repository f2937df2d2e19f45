import type { Session } from '../../auth/session.js';

/** The longest that a timer can wait, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls back when a session is over.
 * @returns how to have it not call any more
 */
export function atExpiry({ expiresAt }: Session, callback: () => void): () => void {
  if (expiresAt === null) return () => {};
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = expiresAt - Date.now();
    timer = left > LONGEST_TIMER ? setTimeout(wait, LONGEST_TIMER) : setTimeout(callback, Math.max(0, left));
    // Whoever is connected keeps the process, not this.
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
