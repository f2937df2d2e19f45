/** A message and its answer in one request. */
import { expect, test } from 'vitest';
import { openTab, sendTexts, shown, startChat, until, valueOf, writesOf } from '../open-parley.js';

test('one request saves a message, starts its answer, and creates the chat', async () => {
  const server = await startChat();
  const tab = openTab(server);
  const store = tab.thread('new', { create: true });
  await store.open();
  await store.when(({ status }) => status === 'live');
  const asking = store.ask('q', { metadata: { model: 'm' } });
  expect(store.getState().thread).toMatchObject([
    { text: 'q', status: 'sending' },
    { name: 'assistant', text: '', status: 'streaming' },
  ]);
  const { message, writer } = valueOf(await asking);
  expect(writesOf(tab)).toEqual(['Ask']);
  writer.append('a');
  expect(shown(store)).toBe('q a');
  await writer.finish();
  await until(store, 'q a');
  expect(store.getState().thread).toMatchObject([{ id: message.id }, { id: writer.id, parentId: message.id }]);

  const next = valueOf(await store.ask('q2'));
  next.writer.append('a2');
  await next.writer.finish();
  await until(store, 'q a q2 a2');
  expect(store.getState().branches).toHaveLength(1);
  expect(writesOf(tab).filter((name) => !/AppendToDraft|FinishDraft/.test(name))).toEqual(['Ask', 'Ask']);
});

test('an answer to a message in a conflict starts after the choice', async () => {
  const server = await startChat('q', 'a');
  const tab = openTab(server);
  const here = tab.thread('c');
  await here.open();
  tab.hold();
  await sendTexts(server.tab, 'theirs');
  const asking = here.ask('mine');
  const { conflicts } = await here.when(({ conflicts: open, drafts }) => open.length === 1 && drafts.length === 0);
  tab.release();
  await conflicts[0]!.resolve('append');
  const { message, writer } = valueOf(await asking);
  expect(message.text).toBe('mine');
  writer.append('yours');
  await writer.finish();
  await until(here, 'q a theirs mine yours');
});

test('a refused draft keeps the message', async () => {
  const server = await startChat('q');
  const here = openTab(server).thread('c');
  await here.open();
  expect(await here.ask('q2', { idleTimeout: 1 })).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  await until(here, 'q q2');
  expect(here.getState().drafts).toEqual([]);
  expect(await here.write({ parentId: 'q', idleTimeout: 1 })).toMatchObject({ ok: false });
  await until(here, 'q q2');
});
