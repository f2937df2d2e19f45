/** Silent networks and sleeping machines: no side receives an error of its dead connection. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { UpdateChat } from '../../src/generated/operations.js';
import { openFarTab, openTab, sendTexts, shown, startChat, until } from '../open-parley.js';

/** Rejections without a handler during a test. */
function unhandled(): unknown[] {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => void reasons.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return reasons;
}

test('a silent network is detected, and all messages of both sides arrive after it recovers', async () => {
  const reasons = unhandled();
  const server = await startChat('one');
  const tab = await openFarTab(server);
  const store = tab.thread('c');
  await store.open();
  await store.when(({ status }) => status === 'live');
  tab.network.swallow();
  // The request was in flight when the network stopped: it times out, and is sent again.
  const sent = store.send('mine');
  await store.when(({ status, thread }) => status === 'away' && thread.at(-1)?.status === 'waiting');
  expect(store.getState().error).toMatchObject({ code: 'UNREACHABLE' });
  await server.tab.parley.run(UpdateChat, { input: { chatId: 'c', title: 'meanwhile' } });
  tab.network.restore();
  expect(await sent).toMatchObject({ ok: true });
  await until(store, 'one mine');
  await store.when(({ chat }) => chat?.title === 'meanwhile');
  expect(reasons).toEqual([]);
});

test('a server that accepts connections without responding is unavailable until it responds', async () => {
  const reasons = unhandled();
  const server = await startChat('one');
  const tab = await openFarTab(server);
  tab.network.swallow();
  const store = tab.thread('c');
  void store.open();
  expect(await store.when(({ status }) => status === 'away')).toMatchObject({ error: { code: 'UNREACHABLE' } });
  tab.network.restore();
  await until(store, 'one');
  // Only the socket is silent: HTTP uses another connection.
  const other = openTab(server, { webSocketUrl: tab.parley.url.replace('http', 'ws'), pingMs: 50 });
  tab.network.swallow();
  const half = other.thread('c');
  expect(await half.open()).toMatchObject({ status: 'opening' });
  expect(shown(half)).toBe('one');
  await half.when(({ status }) => status === 'away');
  await sendTexts(server.tab, 'two');
  tab.network.restore();
  await until(half, 'one two');
  expect(reasons).toEqual([]);
});

test('a client that has slept catches up, and a client that closes on a silent network leaves no resources', async () => {
  const server = await startChat('one');
  const { network, parley } = await openFarTab(server);
  const program = fileURLToPath(new URL('follow-chat.ts', import.meta.url));
  const loader = new URL('../../../../scripts/typescript.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', loader, program, parley.url]);
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let printed = '';
  child.stderr.pipe(process.stderr);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const last = () => JSON.parse(printed.trim().split('\n').at(-1) || 'null') as unknown;
  await expect.poll(last).toEqual({ status: 'live', shown: 'one' });

  child.kill('SIGSTOP');
  // Its connections are dead when it resumes, without an error.
  network.swallow();
  for (const text of ['two', 'three']) await sendTexts(server.tab, text);
  network.restore();
  child.kill('SIGCONT');
  await expect.poll(last).toEqual({ status: 'live', shown: 'one two three' });

  network.swallow();
  await expect.poll(last).toEqual({ status: 'away', shown: 'one two three' });
  child.stdin.write('\n');
  await expect.poll(last).toEqual({ timers: 0 });
  expect(await exited).toEqual([0, null]);
  expect(printed).not.toContain('unhandled');
});
