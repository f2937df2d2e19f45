/** A server with its own database, called without a socket. */
import type { FormattedExecutionResult } from 'graphql';
import { onTestFinished, vi } from 'vitest';
import { createServer, type ServerOptions } from '../../../src/server.js';
import type { TypedDocumentString } from '../../generated/graphql/graphql.js';
import { emptyDatabaseUrl, readUrlsOf, temporaryDatabaseUrl } from '../database/temporary-database.js';

export interface Parley {
  databaseUrl: string;
  /** The data of a successful operation. @throws Error for errors */
  run<Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    ...variables: Given<Variables>
  ): Promise<Result>;
  /** The result of a document, with or without errors. */
  ask(document: string, variables?: unknown, headers?: Record<string, string>): Promise<FormattedExecutionResult>;
  /** The response to a POST request with this body. */
  post(body: string, headers?: Record<string, string>): Promise<Response>;
  /** The response to a GET request with this query string. */
  get(query: string): Promise<Response>;
  /** The SQL statements since the last call. */
  takeStatements(): string[];
  /** The unexpected errors since the last call. */
  takeUnexpectedErrors(): unknown[];
}

type Given<Variables> = Variables extends Record<string, never> ? [] : [variables: Variables];

export interface ParleyOptions {
  /** By default, a new database of the kind under test. */
  databaseUrl?: string;
  /** Whether the database starts with the demo conversation. */
  demo?: boolean;
  /** Limits that override the defaults. */
  limits?: NonNullable<ServerOptions['limits']>;
  /** Where the audit log is written. */
  auditLog?: string;
  /** Days that deleted chats can be restored: 7 by default. */
  recoveryDays?: number;
  /** The interval of sweeps. */
  sweepIntervalMs?: number;
  webhooks?: ServerOptions['webhooks'];
  /** No quotas by default. */
  storageQuotaBytes?: number;
  /** Receives log lines. */
  log?: (line: string) => void;
}

/** Opens a server until the end of the test. */
export async function openParley({
  demo = false,
  databaseUrl = demo ? temporaryDatabaseUrl() : emptyDatabaseUrl(),
  ...options
}: ParleyOptions = {}): Promise<Parley> {
  const { parley, stop } = await startParley({ ...options, databaseUrl, demo });
  onTestFinished(stop);
  return parley;
}

/** Opens a server for several tests. */
export async function startParley(
  options: ParleyOptions & { databaseUrl: string },
): Promise<{ parley: Parley; stop: () => Promise<void> }> {
  // Tests of several seconds would count the statements of periodic tasks, unless their interval is a part of the test.
  const arePeriodic = options.sweepIntervalMs !== undefined || vi.isFakeTimers();
  if (!arePeriodic) vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    return await start(options);
  } finally {
    if (!arePeriodic) vi.useRealTimers();
  }
}

async function start({
  databaseUrl,
  demo = false,
  ...options
}: ParleyOptions & { databaseUrl: string }): Promise<{ parley: Parley; stop: () => Promise<void> }> {
  let statements: string[] = [];
  let unexpected: unknown[] = [];
  const server = await createServer({
    databaseUrl,
    readDatabaseUrls: readUrlsOf(databaseUrl),
    migrateOnStart: true,
    demo,
    ...options,
    onStatement: (sql) => statements.push(sql),
    logError: (_id, error) => unexpected.push(error),
  });
  const post = (body: string, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    );
  const ask: Parley['ask'] = async (query, variables, headers) =>
    (await (await post(JSON.stringify({ query, variables }), headers)).json()) as FormattedExecutionResult;
  const parley: Parley = {
    databaseUrl,
    post,
    ask,
    get: (query) =>
      server.fetch(new Request(`http://localhost/graphql?${query}`, { headers: { accept: 'application/json' } })),
    async run(document, ...[variables]) {
      const { data, errors } = await ask(document.toString(), variables);
      if (errors !== undefined) throw new Error(errors.map((error) => error.message).join('\n'));
      return data as never;
    },
    takeStatements() {
      const taken = statements;
      statements = [];
      return taken;
    },
    takeUnexpectedErrors() {
      const taken = unexpected;
      unexpected = [];
      return taken;
    },
  };
  return { parley, stop: () => server.stop() };
}
