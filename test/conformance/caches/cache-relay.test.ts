/** The documents and settings of docs/graphql/caches.md for Relay, compiled by its compiler, with two tabs on one server. */
import { join } from 'node:path';
import type { Client } from 'graphql-ws';
import relay, {
  type ConcreteRequest,
  type Environment,
  type GraphQLResponse,
  type INetwork,
  type RecordSourceSelectorProxy,
} from 'relay-runtime';
import { expect, test } from 'vitest';
import { relayDocuments } from '../../support/chats/frontend-documents.js';
import { compileRelay } from '../schema/relay-compiler.js';
import type { OpenCache, OnUpdate } from './cache-client.js';
import { runCacheScenario } from './cache-scenario.js';
import { cacheProgram, programFolder, resumeProgram } from '../documented-programs.js';

const { commitMutation, ConnectionHandler, createOperationDescriptor, fetchQuery, Network, Observable } = relay;

interface Program {
  createEnvironment: (network: INetwork) => Environment;
  learn: (store: RecordSourceSelectorProxy<unknown>, field: string) => void;
  schemaConfig: object;
}

/** Compiles the documents of the page, one module each; returns the operations by name. */
async function compile(folder: string, { schemaConfig }: Program): Promise<Map<string, ConcreteRequest>> {
  const modules = [...relayDocuments].map(([name, text]): [string, string] => [
    name.replace(/(Query|Mutation|Subscription|_\w+)$/, ''),
    // Unmasked, because no component reads a fragment.
    text.replace(/\.\.\.(\w+_\w+)/g, '...$1 @relay(mask: false)'),
  ]);
  const artifacts = compileRelay(folder, modules, schemaConfig);
  const names = [...relayDocuments.keys()].filter((name) => /(Query|Mutation|Subscription)$/.test(name));
  const requests = names.map(async (name): Promise<[string, ConcreteRequest]> => {
    const artifact = (await import(join(artifacts, `${name}.graphql.ts`))) as { default: ConcreteRequest };
    return [name, artifact.default];
  });
  return new Map(await Promise.all(requests));
}

function networkOf(url: string, socket: Client): INetwork {
  return Network.create(
    async ({ text: query }, variables) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await response.json()) as GraphQLResponse;
    },
    ({ text }, variables) =>
      Observable.create((sink) =>
        socket.subscribe(
          { query: text!, variables },
          { ...sink, next: (result) => sink.next(result as GraphQLResponse) },
        ),
      ),
  );
}

/** The lists to which a mutation adds an element. */
const LISTS: Record<string, (environment: Environment) => string> = {
  CreateChatMutation: () => ConnectionHandler.getConnectionID('client:root', 'Chats_chats'),
  BookmarkMutation: (environment) => {
    const chat = environment.getStore().getSource().get('client:root')?.['chat(id:"c")'] as { __ref: string };
    return ConnectionHandler.getConnectionID(chat.__ref, 'Panel_checkpoints');
  },
};

const openWith =
  ({ createEnvironment, learn }: Program, requests: ReadonlyMap<string, ConcreteRequest>): OpenCache =>
  (url, socket) => {
    const environment = createEnvironment(networkOf(url, socket));
    const requestOf = (name: string) => requests.get(name)!;
    const fieldOf = (name: string) => /\{\s*(\w+)/.exec(relayDocuments.get(name)!.replace(/^[^{]*/, ''))![1]!;
    return {
      async ask(name, variables, isFresh = false) {
        environment.retain(createOperationDescriptor(requestOf(name), variables));
        const fetchPolicy = isFresh ? 'network-only' : 'store-or-network';
        await fetchQuery(environment, requestOf(name), variables, { fetchPolicy }).toPromise();
      },
      held(name, variables) {
        const operation = createOperationDescriptor(requestOf(name), variables);
        if (environment.check(operation).status !== 'available') return undefined;
        return environment.lookup(operation.fragment).data;
      },
      change: (name, variables) =>
        new Promise((resolve, reject) => {
          const list = LISTS[name];
          commitMutation(environment, {
            mutation: requestOf(name),
            variables: list === undefined ? variables : { ...variables, connections: [list(environment)] },
            updater: (store) => learn(store, fieldOf(name)),
            onCompleted: (data) => resolve(data),
            onError: reject,
          });
        }),
      follow(name, variables, onUpdate) {
        relay.requestSubscription(environment, {
          subscription: requestOf(name),
          variables,
          updater: (store) => learn(store, fieldOf(name)),
          onNext: (data) => onUpdate(data as Parameters<OnUpdate>[0]),
          onError: (error) => expect(error).toBeUndefined(),
        });
      },
      close() {},
    };
  };

test("Relay's store converges to the server's state in two tabs", async () => {
  const folder = programFolder('relay-cache');
  const program = await cacheProgram<Program>(folder, 'relay-cache.js');
  await runCacheScenario(openWith(program, await compile(folder, program)), await resumeProgram(folder));
});
