/** One server over both transports: a limit must hold for each of them. */
import type { GraphQLFormattedError } from 'graphql';
import { expect } from 'vitest';
import type { Limits } from '../../src/limits/limits.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

export interface BothTransports {
  /** The data, or the errors, that both of them answer with; they are held to answer the same. */
  ask(
    query: string,
    variables?: Record<string, unknown>,
  ): Promise<{ data?: unknown; errors?: GraphQLFormattedError[] }>;
  /** The data or errors over HTTP alone, for operations that must run once. */
  askOnce(query: string, variables?: Record<string, unknown>): ReturnType<BothTransports['ask']>;
  /** The HTTP status for clients that take application/graphql-response+json. */
  status(query: string, variables?: Record<string, unknown>): Promise<number>;
}

/**
 * Starts it with the demo conversation.
 * @param databaseUrl a database that the test only reads; a new one by default
 */
export async function bothTransports(limits: Partial<Limits> = {}, databaseUrl?: string): Promise<BothTransports> {
  const database = databaseUrl === undefined ? WITH_DEMO : { databaseUrl };
  const { post, webSocketUrl } = await startListening({ ...database, limits });
  const { ask } = await connectWebSocket(webSocketUrl);
  const over = (accept: string, query: string, variables?: object) =>
    post(JSON.stringify({ query, variables }), { accept });
  const askOnce: BothTransports['askOnce'] = async (query, variables) =>
    (await (await over('application/json', query, variables)).json()) as Awaited<ReturnType<BothTransports['ask']>>;
  let count = 0;
  return {
    askOnce,
    async ask(query, variables) {
      const { refused, ...answer } = await ask(`operation ${count++}`, query, variables);
      const overWebSocket = refused === undefined ? answer : { errors: refused };
      const overHttp = await askOnce(query, variables);
      expect(overWebSocket).toEqual(overHttp);
      return overHttp;
    },
    status: async (query, variables) => (await over('application/graphql-response+json', query, variables)).status,
  };
}
