import { MAX_INT } from '../../conversation/bounds.js';
import type { Session } from '../../auth/session.js';

/** Node's timers take an int32. */
const MAX_TIMEOUT_MS = MAX_INT;

/**
 * Calls back when a session expires or is revoked, with the reason.
 * @returns a function that cancels the call
 */
export function atEnd(session: Session, callback: (reason: 'expired' | 'revoked') => void): () => void {
  const end = (reason: 'expired' | 'revoked') => {
    cancel();
    callback(reason);
  };
  const cancelExpiry = atExpiry(session, () => end('expired'));
  const cancelRevocation = session.onRevoked?.(() => end('revoked'));
  const cancel = () => {
    cancelExpiry();
    cancelRevocation?.();
  };
  return cancel;
}

function atExpiry({ expiresAt }: Session, callback: () => void): () => void {
  if (expiresAt === null) return () => {};
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = expiresAt - Date.now();
    timer = left > MAX_TIMEOUT_MS ? setTimeout(wait, MAX_TIMEOUT_MS) : setTimeout(callback, Math.max(0, left));
    // Only connections must keep the process alive.
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
