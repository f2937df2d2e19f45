/** Checks the schema with Relay's compiler: nodes can be fetched by nodeId, and every connection has pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Kind,
  buildSchema,
  parse,
  print,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
} from 'graphql';
import { expect, test } from 'vitest';
import { openParley } from '../../support/server/parley.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { compileRelay } from './relay-compiler.js';
import {
  connectionsOf,
  everythingQuery,
  nodeTypesOf,
  pageQuery,
  pagingFragment,
  refetchableConnectionsOf,
} from './relay-documents.js';

const SCHEMA = fileURLToPath(new URL('../../../schema.graphql', import.meta.url));
const EVERYTHING = 'EverythingQuery';

const schema = buildSchema(readFileSync(SCHEMA, 'utf8'));

/** Compiles documents, one module each; returns the operations that Relay would send, by name. */
function compile(documents: ReadonlyMap<string, string>): Map<string, DocumentNode> {
  const folder = compileRelay(temporaryFolder(), documents);
  const artifacts = readdirSync(folder).map((file): [string, string | undefined] => {
    const artifact = readFileSync(join(folder, file), 'utf8');
    return [file.replace('.graphql.ts', ''), /"text": ("(?:[^"\\]|\\.)*")/.exec(artifact)?.[1]];
  });
  return new Map(
    artifacts.flatMap(([name, text]) => (text === undefined ? [] : [[name, parse(JSON.parse(text) as string)]])),
  );
}

/** The connections that a document selects, such as Chat_branches. */
function connectionsIn(document: DocumentNode): string[] {
  const found: string[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: (node) => {
        if (
          node.selectionSet?.selections.some((inner) => inner.kind === Kind.FIELD && inner.name.value === 'pageInfo')
        ) {
          found.push(`${types.getParentType()!.name}_${node.name.value}`);
        }
      },
    }),
  );
  return found.sort();
}

const connections = refetchableConnectionsOf(schema);
const documents = new Map([
  [EVERYTHING, everythingQuery(schema, EVERYTHING)],
  ...connections.map((connection): [string, string] => [
    connection.name,
    pagingFragment(connection, nodeTypesOf(schema)),
  ]),
]);

test('the schema has connections and nodes', () => {
  expect(connections.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Chat_branches', 'Chat_checkpoints', 'Chat_events', 'Message_children', 'Query_chats']),
  );
  expect(nodeTypesOf(schema).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Branch', 'Chat', 'Checkpoint', 'Message']),
  );
});

test('Relay can request the next page of every connection but those of comparisons, shared paths and the viewer', () => {
  const others = connectionsOf(schema).filter(({ name }) => !connections.some((each) => each.name === name));
  expect(others.map(({ name }) => name)).toEqual([
    'Comparison_ahead',
    'Comparison_behind',
    'SharedPath_messages',
    'Viewer_accessTokens',
  ]);
});

test('Relay compiles a query for every page of every connection, and for any node with all of them', () => {
  const operations = compile(documents);
  const names = connections.map(({ name }) => name).sort();
  expect([...operations.keys()].sort()).toEqual([EVERYTHING, ...names.map(pageQuery)].sort());
  expect(connectionsIn(operations.get(EVERYTHING)!)).toEqual(names);
  for (const name of names) expect(connectionsIn(operations.get(pageQuery(name))!)).toEqual([name]);
  for (const [name, operation] of operations) expect(validate(schema, operation), name).toEqual([]);
});

test('Relay refetches the next page of a node by its nodeId', () => {
  const operations = compile(documents);
  for (const { name, parent } of connections) {
    const root = nodeTypesOf(schema).includes(parent) ? 'node(nodeId: $nodeId)' : `...${name}`;
    expect(print(operations.get(pageQuery(name))!), name).toContain(`) {\n  ${root}`);
  }
});

test('a server answers the queries of Relay, for each kind of node', async () => {
  const { ask } = await openParley({ demo: true });
  const everything = print(compile(documents).get(EVERYTHING)!);
  const added = await ask(`mutation {
    startDraft(input: { chatId: "demo" }) { ... on DraftPayload { draft { nodeId } } }
    createShare(input: { chatId: "demo" }) { ... on SharePayload { share { nodeId } } }
    addMember(input: { chatId: "demo", userId: "bob", role: READER }) { ... on AddMemberPayload { member { nodeId } } }
    createAccessToken(input: { name: "script" }) { ... on AccessTokenPayload { accessToken { nodeId } } }
  }`);
  const { data } = await ask(`{
    chat(id: "demo") { nodeId activeBranch { nodeId head { nodeId } } checkpoints { edges { node { nodeId } } } }
  }`);
  const ids = Array.from(JSON.stringify([data, added.data]).matchAll(/"nodeId":"([^"]+)"/g), ([, id]) => id!);
  const answered = new Set<unknown>();
  for (const nodeId of ids) {
    const { data, errors } = await ask(everything, { nodeId, query: 'Porto' });
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ node: { nodeId } });
    answered.add((data as { node: { __typename: string } }).node.__typename);
  }
  expect([...answered].sort()).toEqual(
    nodeTypesOf(schema)
      .map(({ name }) => name)
      .sort(),
  );
});
