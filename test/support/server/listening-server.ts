/** A listening server in the test's process, for clients with sockets. */
import { onTestFinished, vi } from 'vitest';
import { SharedSubscriptions } from '../../../src/http/subscriptions/shared-subscriptions.js';
import { createServer, type ServerOptions } from '../../../src/server.js';
import { httpClient, postJson, type HttpClient } from './http-client.js';
import type { Parley } from './parley.js';
import { FILES_SECRET } from './tokens.js';
import { emptyDatabaseUrl, temporaryDatabaseUrl } from '../database/temporary-database.js';

export interface ListeningServer extends Pick<HttpClient, 'run'>, Pick<Parley, 'ask' | 'post'> {
  databaseUrl: string;
  /** The HTTP endpoint. */
  url: string;
  /** The WebSocket endpoint. */
  webSocketUrl: string;
  /** Unexpected errors, by the ids in responses. */
  unexpectedErrors: Map<string, unknown>;
  /** The number of subscribers of this server. */
  followers(): number;
  stop(): Promise<void>;
}

/** Starts a server with a new database on a free port, until the end of the test. */
export async function startListening(options: Partial<ServerOptions> = {}): Promise<ListeningServer> {
  const unexpectedErrors = new Map<string, unknown>();
  const follow = vi.spyOn(SharedSubscriptions.prototype, 'follow');
  onTestFinished(() => follow.mockRestore());
  const databaseUrl = options.databaseUrl ?? (options.demo === true ? temporaryDatabaseUrl() : emptyDatabaseUrl());
  const server = await createServer({
    databaseUrl,
    port: 0,
    migrateOnStart: true,
    shutdownTimeoutMs: 200,
    filesSecret: FILES_SECRET,
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
    post: (body, headers) => postJson(url, body, headers),
  };
}
