/** A conversation of several people: two answers, compared, merged, shared, verified, forked, exported and imported. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assistant, ContextEngine, RemoteStore, user } from '@parley/context';
import { expect, it } from 'vitest';
import { AUTH, bearer } from '../support/server/tokens.js';
import { startListening } from '../support/server/listening-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const VERIFIED = /^\d+ messages, 0 with another hash: \[\]\n$/;

const GRAPH = `query ($chatId: ID!) { chat(id: $chatId) {
  messages { edges { node { id parentId name text contentHash sources { id } } } }
  branches { edges { node { name head { id } } } }
} }`;

interface Graph {
  messages: {
    edges: { node: { parentId: string | null; text: string; contentHash: string; sources: { id: string }[] } }[];
  };
}
type Server = Awaited<ReturnType<typeof start>>;
type Headers = Awaited<ReturnType<typeof bearer>>;

async function start() {
  const { url } = await startListening({ auth: AUTH });
  /** The result of the only field of an operation. */
  async function ask<T>(headers: Partial<Headers>, query: string, variables: object = {}): Promise<T> {
    const body = JSON.stringify({ query, variables });
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    const { data, errors } = (await (await fetch(url, init)).json()) as { data: object | null; errors?: object[] };
    expect(errors).toBeUndefined();
    return Object.values(data!)[0] as T;
  }
  const change = async <T extends object>(
    headers: Headers,
    field: string,
    input: object,
    selection = '',
  ): Promise<T> => {
    const type = `${field[0]!.toUpperCase()}${field.slice(1)}`;
    const payload = `... on ${type === 'CreateShare' ? 'Share' : type}Payload { ${selection} }`;
    const fields = selection === '' ? '' : payload;
    const document = `mutation ($input: ${type}Input!) { ${field}(input: $input) { __typename ${fields} ... on Error { message } } }`;
    const result = await ask<T & { __typename: string }>(headers, document, { input });
    expect(result.__typename, JSON.stringify(result)).toMatch(/Payload$/);
    return result;
  };
  return { url, ask, change };
}

function engineOf({ url }: Server, userId: string, headers: Headers, chatId: string, branch?: string): ContextEngine {
  return new ContextEngine({ store: new RemoteStore({ url, headers }), chatId, userId, branch });
}

/** Verifies a chat with the program of docs/graphs.md. */
async function verify(server: Server, { authorization }: Headers, chatId: string): Promise<void> {
  if (!hasPython) return;
  const program = join(temporaryFolder(), 'verify.py');
  const page = readFileSync('docs/graphs.md', 'utf8');
  writeFileSync(program, page.split('```python verify.py\n')[1]!.split('\n```')[0]!);
  const env = { ...process.env, TOKEN: authorization.replace('Bearer ', '') };
  const { stdout } = await promisify(execFile)('python3', [program, server.url, chatId], { env });
  expect(stdout).toMatch(VERIFIED);
}

it(`plays the story of a shared conversation${hasPython ? '' : ' (no python3: no program verifies it)'}`, async () => {
  const server = await start();
  const [ann, bob, carl, dora] = await Promise.all([bearer('ann'), bearer('bob'), bearer('carl'), bearer('dora')]);
  const trip = { chatId: 'trip' };

  // A question, and two answers by two members on two branches.
  const engine = engineOf(server, 'ann', ann, 'trip');
  await engine.set(user('Lisbon or Porto?', { id: 'question' })).save();
  await server.change(ann, 'addMember', { ...trip, userId: 'bob', role: 'WRITER' });
  await server.change(ann, 'addMember', { ...trip, userId: 'carl', role: 'COMMENTER' });
  await server.change(carl, 'btw', { ...trip, messageId: 'question', branchName: 'side' });
  await engineOf(server, 'ann', carl, 'trip', 'side')
    .set(assistant('Lisbon, for its trams.', { id: 'lisbon' }))
    .save();
  await engineOf(server, 'ann', bob, 'trip')
    .set(assistant('Porto, for its river.', { id: 'porto' }))
    .save();
  expect(await server.ask(dora, '{ chat(id: "trip") { id } }')).toBeNull();

  // Compared, and merged with a source.
  const comparison = await engine.compare({ branch: 'side' });
  expect(comparison).toMatchObject({ status: 'DIVERGED', aheadBy: 1, behindBy: 1, commonAncestor: { id: 'question' } });
  await engine.merge({ branch: 'side', message: assistant('Both: Porto first.', { id: 'both' }) });
  const graph = await server.ask<Graph>(carl, GRAPH, trip);
  expect(graph.messages.edges.at(-1)!.node).toMatchObject({ parentId: 'porto', sources: [{ id: 'lisbon' }] });
  await verify(server, carl, 'trip');

  // Shared: everybody with the link reads the path, and continues it in a chat of their own.
  const { share } = await server.change<{ share: { token: string } }>(ann, 'createShare', trip, 'share { token }');
  const path = ['Lisbon or Porto?', 'Porto, for its river.', 'Both: Porto first.'];
  const shared = `query ($token: String!) { shared(token: $token) { messages { edges { node { text } } } } }`;
  const { messages } = await server.ask<{ messages: Graph['messages'] }>({}, shared, share);
  expect(messages.edges.map(({ node }) => node.text)).toEqual(path);
  await server.change(dora, 'forkChat', { shareToken: share.token, id: 'dora' });
  expect(
    (await server.ask<Graph>(dora, GRAPH, { chatId: 'dora' })).messages.edges.map(({ node }) => node.text),
  ).toEqual(path);

  // Continued by a member in a fork of the path to the merge, which keeps the source as its hash.
  await server.change(bob, 'forkChat', { ...trip, messageId: 'both', id: 'fork' });
  const forked = await server.ask<Graph>(bob, GRAPH, { chatId: 'fork' });
  const hashOf = ({ edges }: Graph['messages'], text: string) =>
    edges.find(({ node }) => node.text === text)!.node.contentHash;
  expect(hashOf(forked.messages, path[2]!)).toBe(hashOf(graph.messages, path[2]!));
  await engineOf(server, 'bob', bob, 'fork')
    .set(user('How long by train?', { id: 'train' }))
    .save();
  await verify(server, bob, 'fork');

  // Exported, and imported elsewhere.
  const exported = await fetch(new URL('/export?chatId=fork', server.url), { headers: bob });
  const other = await start();
  const headers = { ...bob, 'content-type': exported.headers.get('content-type')! };
  await (await fetch(new URL('/import', other.url), { method: 'POST', headers, body: await exported.text() })).text();
  expect(await other.ask(bob, GRAPH, { chatId: 'fork' })).toEqual(await server.ask(bob, GRAPH, { chatId: 'fork' }));
  await verify(other, bob, 'fork');
});
