/** A server with a separate PostgreSQL, the faults of that PostgreSQL, and clients that save. */
import pg from 'pg';
import { expect } from 'vitest';
import { startOwnPostgresql, type OwnPostgresql } from '../../support/database/own-postgresql.js';
import { startServer } from '../../support/server/server-process.js';
import type { Fault } from './faults.js';
import { Savers } from './savers.js';

/** Fast settings that keep acknowledged changes if processes are killed, but not if the machine fails. */
const SETTINGS = ['fsync=off', 'max_connections=300'];

/** Session terminations in one fault, and acknowledged saves between them. */
const ENDINGS = 10;
const SAVES = 8;

const PARLEYS = `FROM pg_stat_activity WHERE application_name LIKE 'parley%'`;

export interface TriedServer {
  readonly savers: Savers;
  readonly faults: readonly Fault[];
  /** Stops everything. @returns unexpected results, as sentences */
  end(): Promise<string[]>;
}

/** Starts the server and its clients; stopped at the end of the test. */
export async function startTriedServer(): Promise<TriedServer> {
  const postgresql = await startOwnPostgresql(SETTINGS);
  const server = await startServer({ DATABASE_URL: postgresql.url, MIGRATE_ON_START: 'true' });
  const savers = new Savers(server);
  await savers.start();
  const says = (status: number) =>
    expect.poll(async () => (await fetch(new URL('/health/ready', server.url))).status).toBe(status);
  return {
    savers,
    faults: faultsOf(postgresql, { savers, says }),
    async end() {
      await savers.stop();
      server.kill('SIGTERM');
      const { code, stderr } = await server.exited;
      const ids = new Set((await ask<{ id: string }>(postgresql, 'SELECT "id" FROM messages')).map(({ id }) => id));
      const lost = savers.acknowledged.filter((id) => !ids.has(id));
      const others = [...savers.codes].filter((each) => each !== 'DATABASE_UNAVAILABLE');
      return [
        ...lost.map((id) => `${id} was acknowledged, and is lost`),
        ...others.map((each) => `a save was answered with ${String(each)}`),
        ...(code === 0 ? [] : [`the server ended with ${code}: ${stderr.slice(-1_000)}`]),
      ];
    },
  };
}

function faultsOf(
  postgresql: OwnPostgresql,
  tried: { savers: Savers; says: (status: number) => Promise<void> },
): Fault[] {
  const { savers, says } = tried;
  const sessionsEnd: Fault = {
    name: 'sessions are ended',
    async begin() {
      for (let n = 0; n < ENDINGS; n++) {
        await ask(postgresql, `SELECT pg_terminate_backend(pid) ${PARLEYS} AND random() < 0.5`);
        await savers.more(SAVES);
      }
    },
  };
  /** A fault that makes PostgreSQL unavailable, waits until readiness fails, and restores it. */
  const outageFault = (name: string, begin: () => unknown, end: () => unknown): Fault => ({
    name,
    async begin() {
      await begin();
      await says(503);
    },
    async end() {
      await end();
      await says(200);
    },
  });
  return [
    sessionsEnd,
    outageFault('it is frozen', postgresql.freeze, postgresql.thaw),
    sessionsEnd,
    outageFault('it is stopped', postgresql.stop, postgresql.start),
    {
      name: 'a session is killed, and all others with it',
      async begin() {
        const [session] = await ask<{ pid: number }>(postgresql, `SELECT pid ${PARLEYS} ORDER BY random() LIMIT 1`);
        if (session !== undefined) process.kill(session.pid, 'SIGKILL');
        await savers.failure();
      },
      end: () => says(200),
    },
    sessionsEnd,
    outageFault('it is killed', postgresql.kill, postgresql.start),
  ];
}

/** Uses a new session each time, because the fault may terminate sessions. */
async function ask<Row extends object>({ url }: OwnPostgresql, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
