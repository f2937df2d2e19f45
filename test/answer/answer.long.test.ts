/** `npm run answer` during imports, with several processes, kills and outages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RemoteStore } from '@parley/context';
import { expect, it, onTestFinished } from 'vitest';
import { startConfigured } from '../support/server/configured-server.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { startAnswering, startEcho } from './answer-chats.js';
import { answersTo, ask, growingDraft, newMessage } from './answered-chats.js';
import { startEndpoint } from './model-endpoint.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

async function startServer(settings: { PORT?: string; DATABASE_URL?: string } = {}) {
  const given = { DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true', ...settings } as const;
  const server = await startConfigured(given);
  return { url: server.url, store: new RemoteStore({ url: server.url }), stop: () => server.stop() };
}

/** The command in a child process. */
async function startProcess(url: string, ...args: string[]) {
  const program = ['--import', './scripts/typescript.mjs', 'examples/answer/answer.ts'];
  const command = [...program, '--url', url, '--model', 'echo', '--idle-timeout', '10', ...args];
  const child = spawn(process.execPath, command, { cwd: PROJECT, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    break;
  }
  child.stdout.resume();
  expect(lines[0]).toMatch(/^Answering all chats/);
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), exited };
}

it('answers older questions with --backlog, and imported ones never', async () => {
  const { url, store } = await startServer();
  await ask(store, 'old', newMessage('before'));
  const inFile = (id: string, times: object) => {
    const message = { id: 'm', author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] }, ...times };
    const mapping = { m: { id: 'm', parent: null, children: [], message } };
    return { title: 't', conversation_id: id, current_node: 'm', mapping, ...times };
  };
  const now = Math.floor(Date.now() / 1000);
  await store.importChats(JSON.stringify([inFile('one', { create_time: now }), inFile('other', {})]));
  const answering = await startEcho(url, '--backlog');
  await answering.line(/^Question before of chat old/);
  await store.importChats(JSON.stringify([inFile('third', { create_time: now + 1 }), inFile('fourth', {})]));
  await ask(store, 'new', newMessage('after'));
  await answering.line(/^Question after of chat new/);
  const chats = await store.listChats();
  expect(chats).toHaveLength(6);
  for (const { id } of chats.filter(({ title }) => title === 't'))
    expect((await store.getGraph(id)).nodes).toHaveLength(1);
});

it('stores one answer to each question, with any number of answering processes', async () => {
  const { url, store } = await startServer();
  const processes = await Promise.all([1, 2, 3].map(() => startEcho(url)));
  const ids = Array.from({ length: 12 }, (_, n) => `q${n}`);
  await Promise.all(ids.map((id) => ask(store, `chat-${id}`, newMessage(id))));
  await Promise.all(
    ids.map((id) => Promise.any(processes.map(({ line }) => line(new RegExp(`^Question ${id} of .* was answered`))))),
  );
  await Promise.all(processes.map(({ end }) => end()));
  for (const id of ids) {
    expect(await answersTo(store, `chat-${id}`, id)).toEqual([`Echo: ${id}`]);
    expect(await store.listDrafts(`chat-${id}`)).toEqual([]);
  }
});

it('answers the question of a process that is killed in another process, once', async () => {
  const { url, store } = await startServer();
  const killed = await startProcess(url, '--echo-delay', '30');
  await ask(store, 'c', newMessage('q1', 'words '.repeat(500)));
  const left = await growingDraft(store, 'c');
  const others = await Promise.all([1, 2].map(() => startEcho(url, '--idle-timeout', '10')));
  killed.kill('SIGKILL');
  await killed.exited;
  await Promise.any(others.map(({ line }) => line(/^Question q1 of chat c \(main\) was answered/)));
  await Promise.all(others.map(({ end }) => end()));
  expect(await answersTo(store, 'c', 'q1')).toEqual([`Echo: ${'words '.repeat(500)}`]);
  expect(await store.getMessage(left.id)).toBeNull();
  expect(await store.listDrafts('c')).toEqual([]);
});

it('ends the answer of a killed process as incomplete when a stop was requested', async () => {
  const { url, store } = await startServer();
  const killed = await startProcess(url, '--echo-delay', '30');
  await ask(store, 'c', newMessage('q1', 'words '.repeat(500)));
  const left = await growingDraft(store, 'c');
  killed.kill('SIGKILL');
  await killed.exited;
  await store.stopDraft('c', left.id);
  await startEcho(url, '--idle-timeout', '10');
  for await (const { type } of store.followDraft('c', left.id)) if (type === 'finished') break;
  expect(await store.getMessage(left.id)).toMatchObject({ data: { metadata: { status: 'incomplete' } } });
  expect(await answersTo(store, 'c', 'q1')).toHaveLength(1);
});

it('completes a running answer after SIGTERM and exits with 0', async () => {
  const { url, store } = await startServer();
  const ended = await startProcess(url, '--echo-delay', '5');
  await ask(store, 'c', newMessage('q1', 'words '.repeat(100)));
  await growingDraft(store, 'c');
  ended.kill('SIGTERM');
  expect(await ended.exited).toEqual([0, null]);
  expect(await answersTo(store, 'c', 'q1')).toEqual([`Echo: ${'words '.repeat(100)}`]);
});

it('answers questions that were saved while its server was unavailable, and completes running answers', async () => {
  const DATABASE_URL = temporaryDatabaseUrl();
  const [own, other] = [await startServer({ DATABASE_URL }), await startServer({ DATABASE_URL })];
  const answering = await startEcho(own.url, '--echo-delay', '5');
  const { store } = other;
  await ask(store, 'running', newMessage('q1', 'words '.repeat(300)));
  await growingDraft(store, 'running');
  await own.stop();
  await ask(store, 'meanwhile', newMessage('q2'));
  await answering.line(/does not answer: .*; retrying$/);
  await startServer({ DATABASE_URL, PORT: new URL(own.url).port });
  await answering.line(/^Question q2 of chat meanwhile \(main\) was answered/);
  await answering.line(/^Question q1 of chat running \(main\) was answered/);
  expect(await answersTo(store, 'running', 'q1')).toEqual([`Echo: ${'words '.repeat(300)}`]);
  expect(await answersTo(store, 'meanwhile', 'q2')).toEqual(['Echo: q2']);
});

it('abandons a question after four calls, without an answer or a draft', async () => {
  const { url, store } = await startServer();
  const endpoint = await startEndpoint((request) => (request > 4 ? ['Here.'] : request % 2 === 0 ? [] : 404));
  const answering = startAnswering(['--url', url, '--model', 'small', '--base-url', endpoint.url]);
  await answering.line(/^Answering/);
  await ask(store, 'c', newMessage('q1'));
  expect(await answering.line(/^Question q1 of chat c \(main\) failed/)).toContain(
    'failed (the model returned no content), nothing saved,',
  );
  expect([endpoint.requests.length, await answersTo(store, 'c', 'q1'), await store.listDrafts('c')]).toEqual([
    4,
    [],
    [],
  ]);
  await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'again', isActive: true });
  await answering.line(/^Question q1 of chat c \(again\) was answered/);
  expect(await answersTo(store, 'c', 'q1')).toEqual(['Here.']);
});
