/** A conversation of several people: two answers, compared, merged, shared, verified, forked, exported and imported. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { user } from '@parley/context';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { engineOf, PATH, people, start, tell, type Graph, type Headers, type Server } from './story.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const VERIFIED = /^\d+ messages, 0 with another hash: \[\]\n$/;

const GRAPH = `query ($chatId: ID!) { chat(id: $chatId) {
  messages { edges { node { id parentId name text contentHash sources { id } } } }
  branches { edges { node { name head { id } } } }
} }`;

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
  const { ann, bob, carl, dora } = await people();
  const trip = { chatId: 'trip' };
  await tell(server, { ann, bob, carl });
  expect(await server.ask(dora, '{ chat(id: "trip") { id } }')).toBeNull();
  const graph = await server.ask<Graph>(carl, GRAPH, trip);
  expect(graph.messages.edges.at(-1)!.node).toMatchObject({ parentId: 'porto', sources: [{ id: 'lisbon' }] });
  await verify(server, carl, 'trip');

  // Shared: everybody with the link reads the path, and continues it in a chat of their own.
  const { share } = await server.change<{ share: { token: string } }>(ann, 'createShare', trip, 'share { token }');
  const shared = `query ($token: String!) { shared(token: $token) { messages { edges { node { text } } } } }`;
  const { messages } = await server.ask<{ messages: Graph['messages'] }>({}, shared, share);
  expect(messages.edges.map(({ node }) => node.text)).toEqual(PATH);
  await server.change(dora, 'forkChat', { shareToken: share.token, id: 'dora' });
  expect(
    (await server.ask<Graph>(dora, GRAPH, { chatId: 'dora' })).messages.edges.map(({ node }) => node.text),
  ).toEqual(PATH);

  // Continued by a member in a fork of the path to the merge, which keeps the source as its hash.
  await server.change(bob, 'forkChat', { ...trip, messageId: 'both', id: 'fork' });
  const forked = await server.ask<Graph>(bob, GRAPH, { chatId: 'fork' });
  const hashOf = ({ edges }: Graph['messages'], text: string) =>
    edges.find(({ node }) => node.text === text)!.node.contentHash;
  expect(hashOf(forked.messages, PATH[2]!)).toBe(hashOf(graph.messages, PATH[2]!));
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
