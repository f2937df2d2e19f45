/** Members of a client of pg that its types lack. */
import type { Socket } from 'node:net';
import type pg from 'pg';

interface Internals {
  connection: { stream: Socket };
  host: string;
  port: number;
  /** With the secret key, identifies the connection in a cancel request. */
  processID: number;
  secretKey: number;
}

export function internalsOf(client: pg.ClientBase): Internals {
  return client as unknown as Internals;
}
