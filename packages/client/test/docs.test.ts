/** The programs of docs/frontends.md, as they stand there. */
import { createElement, type ReactNode } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startListening } from '../../../test/support/listening-server.js';
import { CreateChat, type Parley, type ThreadStore } from '../src/client.js';
import { writeDocumented as write } from './documented.js';
import { openTab, say, shown, startChat } from './open-parley.js';
import { render } from './react-renderer.js';

test('the chat in React is drawn, edited and switched in two tabs', async () => {
  const server = await startChat('hello');
  vi.stubGlobal('WebSocket', WebSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { App, parley } = (await import(write(server.url).get('chat.tsx')!)) as {
    App: (props: { chatId: string }) => ReactNode;
    parley: Parley;
  };
  onTestFinished(() => parley.close());
  const view = render(createElement(App, { chatId: 'c' }));
  const shows = (text: string) => vi.waitFor(() => expect(view.text()).toContain(text), 10_000);
  await shows('user: hello');
  const other = openTab(server).thread('c');
  await other.open();

  view.fire('onClick', 'button', 'Edit');
  await shows('hello!‹2/2Edit');
  await other.when(() => shown(other) === 'hello!');
  view.fire('onClick', 'button', '‹');
  await shows('hello1/2›Edit');
  await other.when(() => shown(other) === 'hello');
  view.fire('onChange', 'input', '', { target: { value: 'How are you?' } });
  await vi.waitFor(() => expect(view.props('input', '')).toMatchObject({ value: 'How are you?' }), 10_000);
  view.fire('onClick', 'button', 'Send');
  await other.when(() => other.getState().thread.length === 2);
  await say(server.tab, 'Fine.');
  await shows('user: Fine.');
  expect(view.errors).toEqual([]);
});

test('the store without React says, edits and switches', async () => {
  const server = await startListening();
  const { converse } = (await import(write(server.url).get('store.ts')!)) as {
    converse: (url: string, webSocket: unknown) => Promise<string[]>;
  };
  const drawn = await converse(server.url, WebSocket);
  expect(drawn.filter((text, n) => text !== drawn[n - 1])).toEqual([
    '',
    'What do we eat there?',
    'What do we drink there?',
    'What do we eat there?',
  ]);
});

test('an answer is written word by word', async () => {
  const server = await startListening();
  const tab = openTab(server);
  await tab.parley.run(CreateChat, { input: { id: 'c' } });
  await say(tab, 'Count.');
  const store = tab.thread('c');
  await store.open();
  const { answer } = (await import(write(server.url).get('answer.ts')!)) as {
    answer: (store: ThreadStore, model: () => AsyncIterable<string>) => Promise<void>;
  };
  await answer(store, async function* () {
    yield 'One, ';
    yield 'two.';
  });
  await store.when(({ thread }) => thread.at(-1)?.text === 'One, two.' && thread.at(-1)?.status === undefined);
});
