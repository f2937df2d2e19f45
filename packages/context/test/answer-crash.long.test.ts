/** Another process handles answers whose process was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rawDatabase } from '../../../test/support/database/raw-database.js';
import { chunksOf, eventsOf, openParley, post, userMessage, serve, textOf } from './chat-pages.js';

const PROCESS = fileURLToPath(new URL('answer-process.mjs', import.meta.url));
const question = userMessage('q', 'Count.');

/** Starts a process with a handler. */
async function startHandler(...args: string[]) {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  return { api: `http://127.0.0.1:${String(port).trim()}/api/chat`, kill };
}

async function* lisbon() {
  yield 'Lisbon.';
}

test('another process ends the answer of a killed one, for a page that resumes it and for a repeated message', async () => {
  const { url, store } = await openParley();
  const { api, kill } = await startHandler(url);
  const seen = [];
  const events = eventsOf(await post(api, [question]));
  while (seen.length < 40) seen.push((await events.next()).value!);
  await expect.poll(async () => (await store.listDrafts('c'))[0]!.length).toBeGreaterThan(40);
  await kill();
  const rest = async () => {
    while ((await events.next()).done !== true);
  };
  await expect(rest()).rejects.toThrow();

  const other = await serve({ store, stream: lisbon });
  const resumed = await chunksOf(await fetch(`${other}/c/stream`));
  const [, answer, ...others] = await store.getMessages('c');
  expect(others).toEqual([]);
  const text = textOf(resumed);
  expect(text).toContain(textOf(seen));
  expect(answer!.data).toMatchObject({ metadata: { status: 'incomplete' }, parts: [{ text, state: 'done' }] });
  expect(textOf(await chunksOf(await post(other, [question])))).toBe(text);
  expect((await store.getGraph('c')).nodes).toHaveLength(2);
});

test('another process answers a question whose process was killed before its first word', async () => {
  const { url, store } = await openParley();
  const { api, kill } = await startHandler(url, 'silent');
  await (await post(api, [question])).body!.getReader().read();
  await kill();
  const [draft] = await store.listDrafts('c');
  for await (const { type } of store.followDraft('c', draft!.id)) if (type === 'abandoned') break;
  const other = await serve({ store, stream: lisbon });
  expect(textOf(await chunksOf(await post(other, [question])))).toBe('Lisbon.');
  expect((await store.getMessages('c')).map(({ name }) => name)).toEqual(['user', 'assistant']);
});

test('a repeated message gets an error when its killed process is abandoned before its first word, and then an answer', async () => {
  const { url, databaseUrl, store } = await openParley();
  const { api, kill } = await startHandler(url, 'silent', '60');
  await (await post(api, [question])).body!.getReader().read();
  await kill();
  const errors: string[] = [];
  const onError = (error: unknown) => {
    errors.push(String(error));
    return 'It failed.';
  };
  const other = await serve({ store, stream: lisbon, onError });
  const repeated = await post(other, [question]);
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = 0');
  expect(await chunksOf(repeated)).toContainEqual({ type: 'error', errorText: 'It failed.' });
  expect(errors).toEqual([expect.stringContaining('ended before its first word')]);
  expect(textOf(await chunksOf(await post(other, [question])))).toBe('Lisbon.');
});

test('an answer of a silent model is renewed within the idle timeout', async () => {
  const { store } = await openParley();
  let deliver!: (word: string) => void;
  const word = new Promise<string>((resolve) => (deliver = resolve));
  async function* slow() {
    yield await word;
  }
  const append = vi.spyOn(store, 'appendToDraft');
  const emptyAppends = () => append.mock.calls.filter(([, , , chunks]) => chunks.length === 0).length;
  const api = await serve({ store, stream: slow, idleTimeout: 10 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const response = await post(api, [question]);
  await expect.poll(async () => (await store.listDrafts('c'))[0]?.length).toBeGreaterThan(0);
  vi.advanceTimersByTime(4_000);
  expect(emptyAppends()).toBeGreaterThan(0);
  vi.useRealTimers();
  deliver('Porto.');
  expect(textOf(await chunksOf(response))).toBe('Porto.');
});

test('a question is answered although drafts of dead processes have reached the limit of the chat', async () => {
  const { store, databaseUrl } = await openParley();
  await store.upsertChat({ id: 'c', userId: 'local' });
  const ids = Array.from({ length: 8 }, (_, n) => `d${n}`);
  await store.saveMessages('c', [{ id: 'old', name: 'user', content: { text: 'Hello.' } }]);
  for (const id of ids) {
    await store.startDraft('c', { id, parentId: 'old' });
    await store.appendToDraft('c', id, 0, [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: id },
    ]);
  }
  const api = await serve({ store, stream: lisbon });
  const refusal = await post(api, [question]);
  expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '15']);
  expect(await refusal.json()).toMatchObject({ error: { code: 'TOO_MANY_DRAFTS' } });
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = 0');
  for await (const { type } of store.followDraft('c', 'd7')) if (type === 'abandoned') break;
  expect(textOf(await chunksOf(await post(api, [question])))).toBe('Lisbon.');
  const saved = await Promise.all(ids.map((id) => store.getMessage(id)));
  expect(saved.map((message) => message?.data)).toMatchObject(ids.map(() => ({ metadata: { status: 'incomplete' } })));
});
