/** Operations whose clients disconnect: queries stop in any phase, mutations complete, and no memory stays counted. */
import { request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Memory } from '../../src/limits/memory.js';
import { WorkTurns } from '../../src/scheduler/work-turns.js';
import { startListening, type ListeningServer } from '../support/server/listening-server.js';

const MESSAGES = 30;
const PARTS = Array.from({ length: 400 }, () => ({ type: 'text', text: 'words of a part' }));
const SAVE = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';

const aliased = (field: string) => Array.from({ length: 40 }, (_, n) => `a${n}: ${field}`).join(' ');
const page = (selection: string) => `{ chat(id: "c") { messages(first: 50) { edges { node { ${selection} } } } } }`;

async function startWithMessages(): Promise<ListeningServer> {
  const server = await startListening({});
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const content = { data: { role: 'user', parts: PARTS } };
  const messages = Array.from({ length: MESSAGES }, () => ({ name: 'user', content }));
  expect(await server.ask(SAVE, { input: { chatId: 'c', messages } })).not.toHaveProperty('errors');
  return server;
}

/** Sends an operation, and disconnects after some turns of the event loop since its arrival. */
async function leaveAfter(turns: number, url: string, query: string): Promise<void> {
  const outgoing = request(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } });
  outgoing.on('error', () => {});
  const closed = new Promise((close) => outgoing.once('close', close));
  await new Promise<void>((sent) => outgoing.end(JSON.stringify({ query }), sent));
  for (let turn = 0; turn < turns && !outgoing.closed; turn++) await nextTurn();
  outgoing.destroy();
  await closed;
}

it.each([
  ['while it reads and completes objects', page(aliased('parent { text }'))],
  ['while it parses data', page('text data hasChildren')],
  ['while it writes a list', page(aliased('data'))],
  ['while it writes its answer', page(aliased('data') + ' hasChildren')],
  [
    'while it counts tokens',
    `{ chat(id: "c") { activeBranch { context(input: { maxTokens: 1000000 }) { messages } } } }`,
  ],
])('a query stops %s', async (_, query) => {
  const server = await startWithMessages();
  const hold = vi.spyOn(Memory.prototype, 'hold');
  const begin = vi.spyOn(WorkTurns.prototype, 'begin');
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await server.ask(query)).not.toHaveProperty('errors');
  const [memory] = hold.mock.contexts as Memory[];
  for (let turns = 0; turns < 60; turns += 3) await leaveAfter(turns, server.url, query);
  await expect.poll(() => memory!.held('content') + memory!.held('variables') + memory!.held('bodies')).toBe(0);
  // Nothing more begins.
  begin.mockClear();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(begin).not.toHaveBeenCalled();
  expect(server.unexpectedErrors.size).toBe(0);
  expect(await server.ask(query)).not.toHaveProperty('errors');
});

it('a mutation completes, with its later fields', async () => {
  const server = await startWithMessages();
  const hold = vi.spyOn(Memory.prototype, 'hold');
  onTestFinished(() => void vi.restoreAllMocks());
  const share = `createShare(input: { chatId: "c" }) { ... on SharePayload { share { id } } }`;
  const rename = (title: string) =>
    `updateChat(input: { chatId: "c", title: "${title}" }) { ... on UpdateChatPayload { chat { ${aliased('messages(last: 3) { edges { node { text } } }')} } } }`;
  for (let turns = 4; turns < 64; turns += 6) {
    const query = `mutation { first: ${share} second: ${rename(`after ${turns}`)} third: ${share} }`;
    await leaveAfter(turns, server.url, query);
  }
  const read = async () => {
    const { data } = await server.ask('{ chat(id: "c") { title shares(first: 100) { totalCount } } }');
    return (data as { chat: { title: string; shares: { totalCount: number } } }).chat;
  };
  await expect.poll(read).toMatchObject({ title: 'after 58', shares: { totalCount: 20 } });
  const [memory] = hold.mock.contexts as Memory[];
  await expect.poll(() => memory!.held('content') + memory!.held('variables') + memory!.held('bodies')).toBe(0);
  expect(server.unexpectedErrors.size).toBe(0);
});
