/** A PostgreSQL with a hot standby, and servers that read from it. */
import { onTestFinished } from 'vitest';
import pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { startOwnPostgresql, type OwnPostgresql } from '../../support/database/own-postgresql.js';
import { startConfigured } from '../../support/server/configured-server.js';
import type { Settings } from '../../support/server/server-process.js';

/** Without fsync. Commits are written before they are acknowledged, so that the standby receives them at once. */
export const SETTINGS = ['fsync=off', 'full_page_writes=off', 'max_connections=100'];

export interface Replicated {
  primary: OwnPostgresql;
  standby: OwnPostgresql;
}

/** @param whenOver registers the end of both */
export async function startReplicated(whenOver: (end: () => Promise<void>) => void): Promise<Replicated> {
  const primary = await startOwnPostgresql(SETTINGS, whenOver);
  return { primary, standby: await primary.startStandby() };
}

/** Runs a statement on a server. */
export async function ask<Row extends object>({ url }: { url: string }, statement: Sql): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Pauses the replay of a standby until the end of the test. */
export async function pauseReplay(standby: OwnPostgresql): Promise<void> {
  onTestFinished(() => ask(standby, sql`SELECT pg_wal_replay_resume()`).then(() => {}));
  await ask(standby, sql`SELECT pg_wal_replay_pause()`);
  for (;;) {
    const [row] = await ask<{ state: string }>(standby, sql`SELECT pg_get_wal_replay_pause_state() AS state`);
    if (row?.state === 'paused') return;
  }
}

export interface ReplicatedServer {
  url: string;
  log(): string;
  /** The data of an operation of a user, by default an admin. @throws Error for errors */
  data<T = Record<string, unknown>>(
    query: string,
    of?: { userId?: string | undefined; variables?: object },
  ): Promise<T>;
  /** A request of a user. */
  get(path: string, userId?: string): Promise<Response>;
  /** The states of the replicas, as readiness reports them. @throws Error unless the server is ready */
  states(): Promise<string[]>;
  /** The reads that `work` adds, by the server that ran them. */
  readsOf(work: () => Promise<unknown>): Promise<{ replica: number; primary: number }>;
}

/** Starts a server until the end of the test. */
export async function startReading(
  { primary }: Pick<Replicated, 'primary'>,
  replicas: readonly { url: string }[],
  settings: Partial<Settings> = {},
): Promise<ReplicatedServer> {
  const server = await startConfigured({
    DATABASE_URL: primary.url,
    READ_DATABASE_URL: replicas.map(({ url }) => url).join(),
    MIGRATE_ON_START: 'true',
    ...settings,
  });
  const get = (path: string, userId?: string) =>
    fetch(new URL(path, server.url), { headers: userId === undefined ? {} : { 'x-user-id': userId } });
  const counts = async () => {
    const metrics = await (await get('/metrics')).text();
    const of = (target: string) =>
      Number(new RegExp(`^parley_replica_reads_total{target="${target}"} (.*)$`, 'm').exec(metrics)?.[1]);
    return { replica: of('replica'), primary: of('primary') };
  };
  return {
    url: server.url,
    log: server.log,
    get,
    async data<T>(query: string, { userId, variables }: { userId?: string | undefined; variables?: object } = {}) {
      const headers = { 'content-type': 'application/json', ...(userId !== undefined && { 'x-user-id': userId }) };
      const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
      if (errors !== undefined) throw new Error(JSON.stringify(errors));
      return data;
    },
    async states() {
      const response = await get('/health/ready');
      if (response.status !== 200) throw new Error(await response.text());
      return ((await response.json()) as { replicas: string[] }).replicas;
    },
    async readsOf(work) {
      const before = await counts();
      await work();
      const after = await counts();
      return { replica: after.replica - before.replica, primary: after.primary - before.primary };
    },
  };
}

/** Saves a message. */
export async function save(server: ReplicatedServer, chatId: string, text: string): Promise<void> {
  await server.data(`mutation {
    saveMessages(input: { chatId: "${chatId}", messages: [{ name: "user", content: { text: "${text}" } }] }) {
      ... on SaveMessagesPayload { chat { id } } ... on Error { message }
    }
  }`);
}

/** Creates a chat with messages. */
export async function createChat(server: ReplicatedServer, id: string, texts: readonly string[], userId?: string) {
  await server.data(`mutation { createChat(input: { id: "${id}", title: "${id}" }) { __typename } }`, { userId });
  for (const text of texts) await save(server, id, text);
}
