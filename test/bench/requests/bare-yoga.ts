/** Yoga without plugins and with Parley's schema: the minimum cost of a GraphQL request. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, printSchema, type GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { schema } from '../../../src/server/schema.js';

/**
 * The schema itself, or its types with a prepared response: the data of each root field, from which every nested field
 * takes its member.
 */
export type Order = 'schema' | { answer: Record<string, unknown> };

process.once('message', (order: Order) => void listen(order === 'schema' ? schema : schemaOf(order.answer)));

function schemaOf(answer: Record<string, unknown>): GraphQLSchema {
  const types = buildSchema(printSchema(schema));
  const fields = types.getQueryType()!.getFields();
  for (const [name, value] of Object.entries(answer)) fields[name]!.resolve = () => value;
  return types;
}

async function listen(served: GraphQLSchema): Promise<void> {
  // oxlint-disable-next-line typescript/no-misused-promises -- the documented use of Yoga
  const server = createServer(createYoga({ schema: served })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
}
