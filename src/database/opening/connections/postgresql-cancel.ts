/** Has PostgreSQL end what nobody waits for any more. */
import { connect } from 'node:net';
import type pg from 'pg';

/** How long a statement goes on when nobody waits for it, in milliseconds: almost all end by themselves, and keep their connection. */
const GRACE_MS = 250;

/** How long the server may take to hear that it is to end one, in milliseconds. */
const TIMEOUT_MS = 4_000;

/** What PostgreSQL's protocol has in place of its version where a connection asks for no more than to cancel. */
const CANCEL_REQUEST = 80_877_102;

/**
 * The result of a statement, which the server is told to end when the signal is aborted.
 * @param run the statement, on a connection of the pool
 */
export async function askWhileWanted<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  run: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let timer: NodeJS.Timeout | undefined;
  // Told too late, it would end what somebody else asks next; so this connection is for nobody else.
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

/** On a connection of its own, as the protocol has it, which poolers pass on. What becomes of it shows on the other. */
function cancel(client: pg.PoolClient): void {
  // The driver knows them, and its types leave them out.
  const { host, port, processID, secretKey } = client as unknown as Record<
    'port' | 'processID' | 'secretKey',
    number
  > & {
    host: string;
  };
  const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const socket = connect({ ...path, timeout: TIMEOUT_MS });
  socket.on('error', () => {});
  socket.on('timeout', () => socket.destroy());
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((value, n) => request.writeInt32BE(value, 4 * n));
  socket.end(request);
}
