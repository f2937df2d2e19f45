import { MAX_INT } from '../../conversation/bounds.js';
import type { Session } from '../../auth/session.js';

/** Node's timers take an int32. */
const MAX_TIMEOUT_MS = MAX_INT;

/**
 * Calls back when a session expires or is revoked, with the reason.
 * @returns a function that cancels the call
 */
export function atEnd(session: Session, callback: (reason: 'expired' | 'revoked') => void): () => void {
  const { expiresAt } = session;
  let timer: NodeJS.Timeout | undefined;
  const end = (reason: 'expired' | 'revoked') => {
    cancel();
    callback(reason);
  };
  const wait = (left: number) => {
    timer = setTimeout(
      () => (left > MAX_TIMEOUT_MS ? wait(left - MAX_TIMEOUT_MS) : end('expired')),
      Math.max(0, Math.min(left, MAX_TIMEOUT_MS)),
    );
    // Only connections must keep the process alive.
    timer.unref();
  };
  if (expiresAt !== null) wait(expiresAt - Date.now());
  const cancelRevocation = session.onRevoked?.(() => end('revoked'));
  const cancel = () => {
    clearTimeout(timer);
    cancelRevocation?.();
  };
  return cancel;
}
