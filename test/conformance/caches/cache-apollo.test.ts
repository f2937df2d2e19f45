/** The settings of docs/graphql/caches.md for Apollo Client, with two tabs on one server. */
import { ApolloClient, ApolloLink, gql, HttpLink, type ApolloCache } from '@apollo/client/core';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { expect, test } from 'vitest';
import { operations } from '../../support/chats/frontend-documents.js';
import type { OpenCache, OnUpdate } from './cache-client.js';
import { runCacheScenario } from './cache-scenario.js';
import { cacheProgram, programFolder, resumeProgram } from '../documented-programs.js';

interface Program {
  createCache: () => ApolloCache;
  learn: (cache: ApolloCache, data: unknown) => void;
}

const documents = new Map(operations.map(({ name, text }) => [name, gql(text)]));
const documentOf = (name: string) => documents.get(name)!;

const openWith =
  ({ createCache, learn }: Program): OpenCache =>
  (url, socket) => {
    const link = ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      new HttpLink({ uri: url }),
    );
    const client = new ApolloClient({ link, cache: createCache() });
    return {
      async ask(name, variables, isFresh = false) {
        const fetchPolicy = isFresh ? 'network-only' : 'cache-first';
        await client.query({ query: documentOf(name), variables, fetchPolicy });
      },
      held: (name, variables) => client.readQuery({ query: documentOf(name), variables }) ?? undefined,
      async change(name, variables) {
        const { data } = await client.mutate({
          mutation: documentOf(name),
          variables,
          update: (cache, { data }) => learn(cache, data),
        });
        return data;
      },
      follow(name, variables, onUpdate) {
        client.subscribe({ query: documentOf(name), variables }).subscribe(({ data, error }) => {
          expect(error).toBeUndefined();
          learn(client.cache, data);
          onUpdate(data as Parameters<OnUpdate>[0]);
        });
      },
      close: () => client.stop(),
    };
  };

test("Apollo's cache converges to the server's state in two tabs", async () => {
  const folder = programFolder('apollo-cache');
  const program = await cacheProgram<Program>(folder, 'apollo-cache.js');
  await runCacheScenario(openWith(program), await resumeProgram(folder));
});

test("Apollo's cache keeps the names of files with equal contents apart", async () => {
  const { createCache } = await cacheProgram<Program>(programFolder('apollo-files'), 'apollo-cache.js');
  const cache = createCache();
  const query = gql('{ chat(id: "c") { nodeId latestLeaf { nodeId files { id name url file { id size } } } } }');
  const content = { __typename: 'File', id: 'sha256', size: 1 };
  const names = ['first.txt', 'second.txt'];
  const files = names.map((name, n) => ({
    ...{ __typename: 'MessageFile', id: `m/${n}`, name, url: `/files/${name}`, file: content },
  }));
  const latestLeaf = { __typename: 'Message', nodeId: 'm', files };
  const data = { chat: { __typename: 'Chat', nodeId: 'c', latestLeaf } };
  cache.writeQuery({ query, data });
  const read = cache.readQuery<typeof data>({ query });
  expect(read?.chat.latestLeaf.files.map(({ name }) => name)).toEqual(['first.txt', 'second.txt']);
});
