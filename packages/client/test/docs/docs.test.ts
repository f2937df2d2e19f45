/** Runs the programs of docs/frontends.md. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createElement, type FunctionComponent, type ReactNode } from 'react';
import { createServer, type UserConfig } from 'vite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PNG, sha256 } from '../../../../test/features/files/file-server.js';
import { startListening } from '../../../../test/support/server/listening-server.js';
import type { Message, Parley, ThreadStore } from '../../src/client.js';
import { ParleyProvider } from '../../src/react/react.js';
import { CreateChat } from '../../src/generated/operations.js';
import { pageFiles, writeDocumented as write } from './documented.js';
import { openTab, sendTexts, shown, startChat, until } from '../open-parley.js';
import { render } from '../react/react-renderer.js';

test('the chat in React shows, edits and switches messages in two tabs', async () => {
  const server = await startChat('hello');
  vi.stubGlobal('WebSocket', WebSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { App, parley } = (await import(write(server.url).get('chat.tsx')!)) as {
    App: (props: { chatId: string }) => ReactNode;
    parley: Parley;
  };
  onTestFinished(() => parley.close());
  const view = render(createElement(App, { chatId: 'c' }));
  const shows = (text: string) => expect.poll(() => view.text()).toContain(text);
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
  await expect.poll(() => view.props('input', '')).toMatchObject({ value: 'How are you?' });
  view.fire('onClick', 'button', 'Send');
  await other.when(() => other.getState().thread.length === 2);
  await sendTexts(server.tab, 'Fine.');
  await shows('user: Fine.');
  expect(view.errors).toEqual([]);
});

test('the store without React sends, edits and switches', async () => {
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

test('a file is imported, and a chat is exported as Markdown', async () => {
  const server = await startListening({ demo: true });
  const { importFile, exportMarkdown } = (await import(write(server.url).get('transfer.ts')!)) as {
    importFile: (url: string, file: Blob, onProgress: () => void) => Promise<string[]>;
    exportMarkdown: (url: string, chatId: string) => Promise<File>;
  };
  const file = new Blob(['{"id":"1","name":"user","content":"Is it open?"}\n{"mapping": 5}']);
  expect(await importFile(server.url, file, () => undefined)).toEqual([
    expect.stringMatching(/^line 2: /),
    'null: imported',
    '1 messages in total',
  ]);
  const { name, type } = await exportMarkdown(server.url, 'demo');
  expect([name, type]).toEqual(['A-weekend-in-Portugal.demo.md', 'text/markdown; charset=utf-8']);
});

test('a file is uploaded and sent, and its image has an address', async () => {
  const server = await startChat();
  const store = openTab(server).thread('c');
  await store.open();
  const { sendFile, imageSource } = (await import(write(server.url).get('files.ts')!)) as {
    sendFile: (store: ThreadStore, file: File, onProgress: () => void) => Promise<void>;
    imageSource: (messageId: string, reference: string) => Promise<string | null>;
  };
  await sendFile(store, new File([PNG], 'photo.png'), () => undefined);
  const [message] = store.getState().thread;
  const source = await imageSource(message!.id, `parley:file:${sha256(PNG)}`);
  expect((await fetch(source!)).headers.get('content-type')).toBe('image/png');
});

test('a chat with files shows an image of its page at once, and a saved one by a signed URL', async () => {
  const server = await startChat('hello');
  const { ChatWithFiles } = (await import(write(server.url).get('chat-files.tsx')!)) as {
    ChatWithFiles: FunctionComponent<{ chatId: string }>;
  };
  const open = () => {
    const chat = createElement(ChatWithFiles, { chatId: 'c' });
    return render(createElement(ParleyProvider, { parley: openTab(server).parley, children: chat }));
  };
  const photo = new File([PNG], 'photo.png', { type: 'image/png' });
  const here = open();
  await expect.poll(() => here.text()).toContain('hello');
  here.fire('onChange', 'input', '', { target: { files: { 0: photo, length: 1 } } });
  await expect.poll(() => here.props('img', '')?.['src']).toMatch(/^blob:/);
  const store = openTab(server).thread('c');
  await store.open();
  const { sendFile } = (await import(write(server.url).get('files.ts')!)) as {
    sendFile: (store: ThreadStore, file: File, onProgress: () => void) => Promise<void>;
  };
  await sendFile(store, new File([PNG, 'another'], 'another.png'), () => undefined);
  const there = open();
  await expect.poll(() => there.props('img', '')?.['src']).toMatch(/^http.*signature=/);
});

test('an answer is written word by word', async () => {
  const server = await startListening();
  const tab = openTab(server);
  await tab.parley.run(CreateChat, { input: { id: 'c' } });
  await sendTexts(tab, 'Count.');
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

test('a button writes another answer as a sibling of the first', async () => {
  const server = await startChat('q', 'a');
  const store = openTab(server).thread('c');
  await store.open();
  const { Regenerate } = (await import(write(server.url).get('regenerate.tsx')!)) as {
    Regenerate: FunctionComponent<{ message: Message; store: ThreadStore; model: () => AsyncIterable<string> }>;
  };
  const model = async function* () {
    yield 'another';
  };
  const message = store.getState().thread[1]!;
  const view = render(createElement(Regenerate, { message, store, model }));
  await expect.poll(() => view.text()).toBe('Regenerate');
  view.fire('onClick', 'button', 'Regenerate');
  await until(store, 'q another');
  await store.when(() => store.getMessageSiblingInfo('a')?.siblingCount === 2);
});

test('Vite serves the page of the empty folder, and proxies its sockets', async () => {
  const server = await startListening();
  const folder = join(fileURLToPath(new URL('../../../../test/generated/', import.meta.url)), `page-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, code] of pageFiles()) {
    writeFileSync(join(folder, name), code.replace('http://127.0.0.1:4000', new URL(server.url).origin));
  }
  const { default: config } = (await import(join(folder, 'vite.config.js'))) as { default: UserConfig };
  const vite = await createServer({
    ...config,
    configFile: false,
    root: folder,
    cacheDir: join(folder, '.vite'),
    logLevel: 'error',
    resolve: { conditions: ['@parley/source', 'module', 'browser', 'development|production'] },
    optimizeDeps: { noDiscovery: true },
    server: { ...config.server, host: '127.0.0.1', port: 0, ws: false },
  });
  onTestFinished(() => vite.close());
  await vite.listen();
  const page = `http://127.0.0.1:${(vite.httpServer?.address() as AddressInfo).port}`;
  expect(await (await fetch(`${page}/`)).text()).toContain('src="/main.jsx"');
  expect((await vite.transformRequest('/main.jsx'))?.code).toContain('my first chat');
  /** Browsers send the origin of their page. */
  class Socket extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { origin: page });
    }
  }
  const store = openTab({ url: `${page}/graphql` }, { webSocket: Socket }).thread('my first chat', { create: true });
  await store.open();
  await store.send('Hello');
  await until(store, 'Hello');
});
