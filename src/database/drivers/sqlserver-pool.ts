/** The pools of mssql, as Prisma's adapter creates them from a Prisma URL. */
import type { Socket } from 'node:net';
import { PrismaMssql } from '@prisma/adapter-mssql';
import type { ServerUrl } from '../connection/database-url.js';
import { sqlServerSettings } from './sqlserver-settings.js';

export interface RequestOptions {
  /** Milliseconds after which a statement is cancelled; 0: never. */
  requestTimeout: number;
}

export interface Pool {
  request(options?: RequestOptions): Request;
  /** @param options for each of its statements */
  transaction(options?: RequestOptions): {
    begin(): Promise<unknown>;
    commit(): Promise<void>;
    rollback(): Promise<void>;
    request(): Request;
    /** Missing in the driver's types; null when the transaction has ended. */
    readonly _acquiredConnection: { close(): void } | null;
  };
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
  /** Missing in the driver's types. */
  readonly parameters: Record<string, { length?: number }>;
  cancel(): void;
  query<Row>(sql: string): Promise<{ recordset: RecordSet<Row>; rowsAffected: number[] }>;
  batch<Row>(sql: string): Promise<{ recordset: Row[] }>;
}

/** Members that are missing in the driver's types. */
interface Inside {
  config: { validateConnection: boolean | 'socket'; beforeConnect: (connection: Connecting) => void };
  pool: {
    on(event: 'acquireSuccess', listener: (eventId: number, connection: AcquiredConnection) => void): void;
    on(event: 'release', listener: (connection: AcquiredConnection) => void): void;
  };
}

/** A connection of tedious that has not logged in. */
interface Connecting {
  /** The settings that it sends after the login, and after a reset. */
  getInitialSql(): string;
}

/** A connection of tedious. */
interface AcquiredConnection {
  socket?: Socket;
}

/**
 * Opens a pool. The caller closes it.
 * @param lockTimeoutMs milliseconds after which a wait for a lock fails; -1: never
 */
export async function connectPool(
  url: ServerUrl,
  fixed: Parameters<typeof sqlServerSettings>[1] = {},
  lockTimeoutMs = -1,
): Promise<Pool> {
  const settings = sqlServerSettings(url, { connectionLimit: 1, ...fixed });
  const adapter = await new PrismaMssql(settings).connect();
  const pool = adapter.underlyingDriver() as Pool & Inside;
  // The default validates with SELECT 1 before each use, an additional round trip.
  pool.config.validateConnection = 'socket';
  pool.config.beforeConnect = (connection) => {
    const initial = connection.getInitialSql();
    // A server may default to NOCOUNT ON, which hides the number of changed rows.
    connection.getInitialSql = () => `${initial}\nset nocount off\nset lock_timeout ${lockTimeoutMs}`;
  };
  return pool;
}

/**
 * Tracks the connections of a pool that are in use.
 * @returns cuts them, so that pending statements fail
 */
export function watchPool(pool: Pool): () => void {
  const acquired = new Set<AcquiredConnection>();
  const { pool: connections } = pool as Pool & Inside;
  connections.on('acquireSuccess', (_eventId, connection) => acquired.add(connection));
  connections.on('release', (connection) => acquired.delete(connection));
  return () => acquired.forEach(({ socket }) => socket?.destroy());
}
