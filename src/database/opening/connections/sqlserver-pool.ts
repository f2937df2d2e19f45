/** The pools of mssql, as Prisma's adapter creates them from a Prisma URL. */
import type { Socket } from 'node:net';
import { PrismaMssql } from '@prisma/adapter-mssql';
import type { ServerUrl } from '../database-url.js';
import { sqlServerSettings } from './sqlserver-settings.js';

/** The used part of mssql's ConnectionPool. */
export interface Pool {
  request(): Request;
  transaction(): { begin(): Promise<unknown>; commit(): Promise<void>; rollback(): Promise<void>; request(): Request };
  close(): Promise<void>;
}

/** Rows with the types of their columns. */
export type RecordSet<Row> = Row[] & {
  readonly columns?: Readonly<
    Record<string, { readonly name: string; readonly type: { readonly declaration: string } }>
  >;
};

export interface Request {
  input(name: string, value: unknown): Request;
  query<Row>(sql: string): Promise<{ recordset: RecordSet<Row>; rowsAffected: number[] }>;
  batch<Row>(sql: string): Promise<{ recordset: Row[] }>;
}

/** Members that are missing in the driver's types. */
interface Inside {
  config: { validateConnection: boolean | 'socket' };
  pool: {
    on(event: 'acquireSuccess', listener: (eventId: number, connection: Lent) => void): void;
    on(event: 'release', listener: (connection: Lent) => void): void;
  };
}

/** A connection of tedious. */
interface Lent {
  socket?: Socket;
}

/** Opens a pool. The caller closes it. */
export async function connectPool(url: ServerUrl, fixed: Parameters<typeof sqlServerSettings>[1] = {}): Promise<Pool> {
  const settings = sqlServerSettings(url, { connectionLimit: 1, ...fixed });
  const adapter = await new PrismaMssql(settings).connect();
  // Missing in the adapter's types.
  const pool = (adapter as unknown as { underlyingDriver(): Pool & Inside }).underlyingDriver();
  // The default validates with SELECT 1 before each use, an additional round trip.
  pool.config.validateConnection = 'socket';
  return pool;
}

/**
 * Tracks the connections of a pool that are in use.
 * @returns cuts them, so that pending statements fail
 */
export function watchPool(pool: Pool): () => void {
  const lent = new Set<Lent>();
  const { pool: connections } = pool as Pool & Inside;
  connections.on('acquireSuccess', (_eventId, connection) => lent.add(connection));
  connections.on('release', (connection) => lent.delete(connection));
  return () => lent.forEach(({ socket }) => socket?.destroy());
}
