import type { ClientSocket } from './client-socket.js';
import { CloseCode } from './close-codes.js';

/** Milliseconds between pings. */
const PING_INTERVAL_MS = 12_000;

/**
 * Pings the sockets, and closes those that run no operation for `idleTimeoutMs`.
 * @returns a function that ends the checks
 */
export function startSocketChecks(sockets: ReadonlySet<ClientSocket>, idleTimeoutMs: number): () => void {
  const each = (intervalMs: number, check: (socket: ClientSocket) => void) =>
    // Only the sockets must keep the process alive.
    setInterval(() => sockets.forEach(check), intervalMs).unref();
  const timers = [
    each(PING_INTERVAL_MS, (socket) => socket.checkAlive()),
    each(Math.min(PING_INTERVAL_MS, idleTimeoutMs), (socket) => {
      const isIdle = socket.operations === 0 && socket.lastUsed < Date.now() - idleTimeoutMs;
      if (isIdle) socket.close(CloseCode.idle, 'Idle');
    }),
  ];
  return () => timers.forEach(clearInterval);
}
