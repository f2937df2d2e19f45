/** A chat that a server has rendered is shown immediately, and continues live. */
import { createElement as h, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Parley } from '../../src/client.js';
import { ParleyProvider, useThread, type ParleyProviderProps } from '../../src/react/react.js';
import { readThreadState } from '../../src/store/initial-state.js';
import { openTab, sendTexts, shown, startChat, until } from '../open-parley.js';
import { render } from '../react/react-renderer.js';

/** The state as a page receives it. */
const sent = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;

test('a server renders a chat, and the page continues from that version without reading it again', async () => {
  const server = await startChat('one', 'two');
  const state = sent(await readThreadState(openTab(server).parley, 'c'));
  // A message between the server-side render and the page.
  await sendTexts(server.tab, 'three');
  const statuses = new Set<string>();
  function Chat(): ReactNode {
    const { thread, status } = useThread('c');
    statuses.add(status);
    return thread.map(({ text }) => `${text} `);
  }
  const app = (parley: Parley, props: Partial<ParleyProviderProps> = {}) =>
    h(ParleyProvider, { parley, initialState: state, ...props }, h(Chat));
  const onServer = openTab(server);
  expect(renderToString(app(onServer.parley)).replaceAll('<!-- -->', '')).toBe('one two ');
  expect(onServer.requests).toEqual([]);
  const tab = openTab(server);
  const texts: string[] = [];
  const view = render(app(tab.parley));
  const shown = () => {
    texts.push(view.text());
    return view.text();
  };
  await expect.poll(shown).toBe('one two three ');
  expect(texts.filter((text) => text !== '')[0]).toMatch(/^one two /);
  await sendTexts(server.tab, 'four');
  await expect.poll(() => view.text()).toBe('one two three four ');
  expect([...statuses]).toEqual(['live']);
  expect(tab.requests).not.toContain('OpenThread');
});

test('an outdated state is read again, and one of a deleted chat ends', async () => {
  const server = await startChat('one');
  const state = sent(await readThreadState(openTab(server).parley, 'c'));
  for (const text of ['2', '3', '4', '5']) await sendTexts(server.tab, text);
  const tab = openTab(server);
  const store = tab.thread('c', { initialState: state, farBehind: 2 });
  expect(shown(store)).toBe('one');
  await store.open();
  await until(store, 'one 2 3 4 5');
  expect(tab.requests.filter((name) => name !== 'socket')).toEqual(['ReadVersion', 'OpenThread']);
  expect(await readThreadState(tab.parley, 'none')).toBeNull();
  await server.ask('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
  const late = openTab(server).thread('c', { initialState: state });
  await late.open();
  await late.when(({ status }) => status === 'gone');
});

test('a pane of another branch is rendered with that branch', async () => {
  const server = await startChat('q', 'a');
  const other = server.tab.thread('c');
  await other.open();
  await other.edit('q', 'q2', { id: 'q2' });
  const [main] = other.getState().branches;
  const branch = main!.name;
  const state = sent(await readThreadState(openTab(server).parley, 'c', { branch }));
  const tab = openTab(server);
  const store = tab.thread('c', { branch, initialState: state });
  expect(shown(store)).toBe('q a');
  expect(store.getMessageSiblingInfo('q')).toMatchObject({ siblingCount: 2, nextId: 'q2' });
  await store.open();
  await until(store, 'q a');
  await sendTexts(server.tab, 'more');
  await store.when(({ version }) => version > state!.snapshot.version);
  expect(shown(store)).toBe('q a');
  expect(tab.requests.filter((name) => !/socket|ReadVersion/.test(name))).toEqual([]);
});

test('an answer that is being written is part of a rendered chat', async () => {
  const server = await startChat('q');
  const other = server.tab.thread('c');
  await other.open();
  const written = await other.write({ id: 'a' });
  if (!written.ok) throw written.error;
  const state = sent(await readThreadState(openTab(server).parley, 'c'));
  const tab = openTab(server);
  const store = tab.thread('c', { initialState: state });
  expect(store.getState().thread.at(-1)).toMatchObject({ id: 'a', status: 'streaming' });
  expect(tab.requests).toEqual([]);
  written.value.append('so');
  await store.open();
  await until(store, 'q so');
  await written.value.finish();
  await store.when(({ thread }) => thread.at(-1)?.status === undefined);
  expect(shown(store)).toBe('q so');
});
