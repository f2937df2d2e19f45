/** A server in this process that listens: for whoever comes over a socket. */
import { onTestFinished, vi } from 'vitest';
import { SharedSubscriptions } from '../../../src/http/subscriptions/shared-subscriptions.js';
import { createServer, type ServerOptions } from '../../../src/server.js';
import { httpClient, type HttpClient } from './http-client.js';
import type { Parley } from './parley.js';
import { temporaryDatabaseUrl } from '../database/temporary-database.js';

export interface ListeningServer extends Pick<HttpClient, 'run'>, Pick<Parley, 'ask'> {
  databaseUrl: string;
  /** Where GraphQL is served over HTTP. */
  url: string;
  /** Where it is served over WebSocket. */
  webSocketUrl: string;
  /** The errors that nobody expected, by the ids that clients were given. */
  unexpectedErrors: Map<string, unknown>;
  /** How many clients follow something; of the server that was asked last, where there are more. */
  followers(): number;
  stop(): Promise<void>;
}

/** Starts it on a database of its own and any free port; it stops with the test at the latest. */
export async function startListening(options: Partial<ServerOptions> = {}): Promise<ListeningServer> {
  const unexpectedErrors = new Map<string, unknown>();
  const follow = vi.spyOn(SharedSubscriptions.prototype, 'follow');
  onTestFinished(() => follow.mockRestore());
  const databaseUrl = options.databaseUrl ?? temporaryDatabaseUrl();
  const server = await createServer({
    databaseUrl,
    port: 0,
    migrateOnStart: true,
    shutdownTimeoutMs: 200,
    logError: (id, error) => unexpectedErrors.set(id, error),
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= server.stop());
  onTestFinished(stop);
  const url = await server.start();

  const { post: ask, run } = httpClient(url);
  return {
    databaseUrl,
    url,
    webSocketUrl: url.replace('http:', 'ws:'),
    unexpectedErrors,
    followers: () => (follow.mock.contexts.at(-1) as SharedSubscriptions | undefined)?.size.clients ?? 0,
    stop,
    ask,
    run,
  };
}
