/** Cancels PostgreSQL statements of aborted operations. */
import { connect } from 'node:net';
import type pg from 'pg';
import { internalsOf } from './pg-internals.js';

/** Milliseconds that an aborted statement may continue: most end by themselves and keep their connection. */
const GRACE_MS = 250;

const TIMEOUT_MS = 4_000;

/** The code that a cancel request sends in place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;

/**
 * The result of a statement, which is cancelled when the signal is aborted.
 * @param run the statement, on a pooled connection
 */
export async function cancellableQuery<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  run: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let timer: NodeJS.Timeout | undefined;
  // A late cancel request would end another statement, so this connection is not reused.
  let isSpent = false;
  const leave = () => {
    timer = setTimeout(() => {
      isSpent = true;
      cancel(client);
    }, GRACE_MS);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await run(client);
  } catch (error) {
    isSpent = true;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    client.release(isSpent);
  }
}

/**
 * Cancel requests need their own connection, which poolers forward. Their result shows on the statement's connection.
 */
export function cancel(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = internalsOf(client);
  const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const socket = connect({ ...path, timeout: TIMEOUT_MS });
  socket.on('error', () => {});
  socket.on('timeout', () => socket.destroy());
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((value, n) => request.writeInt32BE(value, 4 * n));
  socket.end(request);
}
