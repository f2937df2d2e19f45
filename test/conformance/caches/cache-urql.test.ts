/** The settings of docs/graphql/caches.md for urql's normalized cache, with two tabs on one server. */
import {
  Client,
  fetchExchange,
  gql,
  subscriptionExchange,
  type Exchange,
  type SubscriptionForwarder,
} from '@urql/core';
import type { Client as GraphqlWs } from 'graphql-ws';
import { expect, test } from 'vitest';
import { operations } from '../../support/chats/frontend-documents.js';
import type { OpenCache, OnUpdate } from './cache-client.js';
import { runCacheScenario } from './cache-scenario.js';
import { cacheProgram, programFolder, resumeProgram } from '../documented-programs.js';

interface Program {
  createCache: () => Exchange;
  forwardSubscription: (socket: GraphqlWs) => SubscriptionForwarder;
}

const documents = new Map(operations.map(({ name, text }) => [name, gql(text)]));
const documentOf = (name: string) => documents.get(name)!;

const openWith =
  ({ createCache, forwardSubscription }: Program): OpenCache =>
  (url, socket) => {
    const client = new Client({
      url,
      preferGetMethod: false,
      exchanges: [
        createCache(),
        fetchExchange,
        subscriptionExchange({ forwardSubscription: forwardSubscription(socket) }),
      ],
    });
    return {
      async ask(name, variables, isFresh = false) {
        const requestPolicy = isFresh ? 'network-only' : 'cache-first';
        const { error } = await client.query(documentOf(name), variables, { requestPolicy }).toPromise();
        expect(error).toBeUndefined();
      },
      held(name, variables) {
        const result = client.readQuery(documentOf(name), variables, { requestPolicy: 'cache-only' });
        return result?.operation.context.meta?.cacheOutcome === 'hit' ? (result.data as unknown) : undefined;
      },
      async change(name, variables) {
        const result = await client.mutation(documentOf(name), variables).toPromise();
        expect(result.error).toBeUndefined();
        return result.data as unknown;
      },
      follow(name, variables, onUpdate) {
        client.subscription(documentOf(name), variables).subscribe(({ data, error }) => {
          expect(error).toBeUndefined();
          onUpdate(data as Parameters<OnUpdate>[0]);
        });
      },
      close() {},
    };
  };

test("urql's cache converges to the server's state in two tabs", async () => {
  const folder = programFolder('urql-cache');
  const program = await cacheProgram<Program>(folder, 'urql-cache.js');
  await runCacheScenario(openWith(program), await resumeProgram(folder));
});
