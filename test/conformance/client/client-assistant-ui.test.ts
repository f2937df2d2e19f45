/** The chat of docs/frontends.md with assistant-ui's components in one tab, and another tab. */
import { createParley, ThreadStore, type Message, type Parley } from '@parley/client';
import { CreateChat } from '@parley/client/operations';
import { DraftWriter } from '@parley/client/writer';
import type { AssistantRuntime } from '@assistant-ui/react';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement, type FunctionComponent } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PNG, sha256 } from '../../files/file-server.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { clientProgram, frontendCode, frontendProgram, programFolder } from '../documented-programs.js';
import { openPage, type Page } from './page.js';

let chats = 0;

const realFetch = globalThis.fetch;

type Words = ReadableStreamDefaultController<string>;

/** A model with scripted output. */
class Model {
  readonly asked: string[][] = [];
  #words: Words | undefined;

  answer = (thread: readonly Message[]): AsyncIterable<string> => {
    this.asked.push(thread.map(({ text }) => text));
    return new ReadableStream<string>({ start: (words) => void (this.#words = words) });
  };

  say(words: string): void {
    this.#words!.enqueue(words);
  }

  end(words: string): void {
    this.say(words);
    this.#words!.close();
  }
}

function openStore(server: ListeningServer) {
  const parley = createParley({ url: server.url, webSocket: WebSocket });
  const store = new ThreadStore(parley, 'c', { writer: DraftWriter });
  onTestFinished(() => {
    store.close();
    parley.close();
  });
  return { parley, store };
}

interface ChatProps {
  store: ThreadStore;
  model: Model['answer'] | undefined;
}

async function openChat(store: ThreadStore, model?: Model['answer']): Promise<Page> {
  const { AssistantChat } = await frontendProgram<{ AssistantChat: FunctionComponent<ChatProps> }>(
    programFolder(`assistant-chat-${++chats}`),
    'assistant-chat.jsx',
  );
  return openPage(createElement(AssistantChat, { store, model }));
}

async function open() {
  const server = await startListening();
  const here = openStore(server);
  await here.parley.run(CreateChat, { input: { id: 'c' } });
  const { store: other } = openStore(server);
  await Promise.all([here.store.open(), other.open()]);
  const model = new Model();
  const page = await openChat(here.store, model.answer);
  const shows = (text: string) => vi.waitFor(() => expect(drawn(page.text())).toBe(text), 10_000);
  const press = (words: string) => vi.waitFor(() => expect(page.press(words), words).toBe(true), 10_000);
  const asked = (n: number) => vi.waitFor(() => expect(model.asked).toHaveLength(n), 10_000);
  const sees = (...texts: string[]) =>
    other.when(({ thread }) => thread.map(({ text }) => text).join('|') === texts.join('|'));
  return { server, store: here.store, other, model, page, shows, press, asked, sees };
}

/** The text without button labels. A dot marks a draft. */
const drawn = (text: string) =>
  text
    .replace(/(Edit|Reload|Send|Stop)+|\s+/g, ' ')
    .replace(/ +/g, ' ')
    .trim();

test('a draft streams, edits and reloads add versions, and the BranchPicker shows each of them', async () => {
  const { store, other, model, page, shows, press, asked, sees } = await open();
  page.type('Where to?');
  await press('Send');
  await asked(1);
  model.say('To ');
  await shows('Where to? To ●');
  await sees('Where to?', 'To ');
  model.end('Lisbon.');
  await sees('Where to?', 'To Lisbon.');

  await press('Reload');
  await asked(2);
  expect(model.asked[1]).toEqual(['Where to?']);
  model.say('To Por');
  await shows('Where to? To Por ●‹2/2›');
  model.end('to.');
  await sees('Where to?', 'To Porto.');
  await press('‹');
  await shows('Where to? To Lisbon.‹1/2›');
  await sees('Where to?', 'To Lisbon.');
  // Another tab presses the arrow.
  const { id } = store.getState().allMessages.find(({ text }) => text === 'To Porto.')!;
  await other.switchToSibling(id);
  await shows('Where to? To Porto.‹2/2›');

  // The last button with this label belongs to the answer.
  const question = store.getState().thread[0]!;
  await other.edit(question.id, 'Where to, in winter?');
  await shows('Where to, in winter?‹2/2›');
  await press('Edit');
  page.type('Where to, in spring?', 'first');
  await vi.waitFor(() => expect(page.press('Send')).toBe(true));
  await asked(3);
  model.end('To Faro.');
  await shows('Where to, in spring?‹3/3› To Faro.');
  await sees('Where to, in spring?', 'To Faro.');
  await press('‹');
  await shows('Where to, in winter?‹2/3›');
  await press('‹');
  await shows('Where to?‹1/3› To Porto.‹2/2›');
  await sees('Where to?', 'To Porto.');
});

test('stop ends an answer, and saves its text so far', async () => {
  const { store, model, page, shows, press, asked, sees } = await open();
  page.type('Count.');
  await press('Send');
  await asked(1);
  model.say('One, ');
  await shows('Count. One, ●');
  await press('Stop');
  await sees('Count.', 'One, ');
  await store.when(({ drafts }) => drafts.length === 0);
  page.type('Go on.');
  await press('Send');
  await asked(2);
  expect(model.asked[1]).toEqual(['Count.', 'One, ', 'Go on.']);
  model.end('two.');
  await shows('Count. One, Go on. two.');
  await store.when(({ drafts }) => drafts.length === 0);
  await sees('Count.', 'One, ', 'Go on.', 'two.');
});

test('versions that were saved before the read ones precede them', async () => {
  const { server, store, other, shows } = await open();
  await other.send('one');
  const first = other.getState().thread[0]!;
  for (const text of ['two', 'three', 'four']) await other.edit(first.id, text);
  await shows('four‹4/4›');
  store.close();
  const { store: late } = openStore(server);
  await late.open();
  expect(late.getState().allMessages).toHaveLength(1);
  const page = await openChat(late);
  const lateShows = (text: string) => vi.waitFor(() => expect(drawn(page.text())).toBe(text), 10_000);
  await lateShows('four‹4/4›');
  for (const text of ['three‹3/4›', 'two‹2/4›', 'one‹1/4›']) {
    await vi.waitFor(() => expect(page.press('‹')).toBe(true));
    await lateShows(text);
  }
  await vi.waitFor(() => expect(page.press('›')).toBe(true));
  await lateShows('two‹2/4›');
  await other.when(({ thread }) => thread[0]?.text === 'two');
});

/** The list of chats of docs/frontends.md, with the thread as text. */
const CHATS = `
import { AssistantRuntimeProvider } from '@assistant-ui/react';
export { createParley } from '@parley/client';
import { ParleyProvider, useThread } from '@parley/client/react';
import { useChatsRuntime } from './assistant-chats.js';

export function Chats({ parley, ...props }) {
  return <ParleyProvider parley={parley} thread={{ create: true }}><Chat {...props} /></ParleyProvider>;
}

function Chat({ onError, use }) {
  const { runtime, store } = useChatsRuntime({ firstChatId: 'c', onError });
  use(runtime);
  const { thread } = useThread(store.chatId);
  return <AssistantRuntimeProvider runtime={runtime}>{store.chatId}: {thread.map(({ text }) => text).join('|')}</AssistantRuntimeProvider>;
}
`;

interface ChatsProgram {
  Chats: FunctionComponent<ChatsProps>;
  createParley: typeof createParley;
}

interface ChatsProps {
  parley: Parley;
  onError: (error: unknown) => void;
  use: (runtime: AssistantRuntime) => void;
}

/** A page with the chat list, and a composer that accepts files. */
async function openList() {
  const server = await startListening();
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push((error as Error).message);
  let runtime: AssistantRuntime | undefined;
  const use = (used: AssistantRuntime) => void (runtime = used);
  const folder = programFolder(`assistant-chats-${++chats}`);
  writeFileSync(join(folder, 'assistant-chats.js'), frontendCode('assistant-chats.js'));
  const program = await clientProgram<ChatsProgram>(folder, 'chats.jsx', CHATS);
  const parley = program.createParley({ url: server.url, webSocket: WebSocket });
  onTestFinished(() => parley.close());
  const page = await openPage(createElement(program.Chats, { parley, onError, use }));
  const shows = (text: string) => vi.waitFor(() => expect(page.text()).toBe(text), 10_000);
  const titles = () => {
    const { threadIds, threadItems } = runtime!.threads.getState();
    return threadIds.map((id) => [id, threadItems[id]?.title]);
  };
  const lists = (...expected: unknown[]) => vi.waitFor(() => expect(titles()).toEqual(expected), 10_000);
  return { parley, errors, runtime: () => runtime!, shows, lists };
}

test('the chat list of assistant-ui switches, creates, renames and deletes chats', async () => {
  const { parley, runtime, shows, lists } = await openList();
  await parley.run(CreateChat, { input: { id: 'c', title: 'First' } });
  await parley.run(CreateChat, { input: { id: 'd', title: 'Second' } });
  await lists(['d', 'Second'], ['c', 'First']);
  await runtime().threads.switchToThread('d');
  await shows('d: ');
  await runtime().threads.getItemById('d').rename('Renamed');
  await lists(['d', 'Renamed'], ['c', 'First']);
  await runtime().threads.getItemById('c').delete();
  await lists(['d', 'Renamed']);
  await runtime().threads.switchToNewThread();
  await vi.waitFor(() => expect(runtime().threads.getState().mainThreadId).not.toBe('d'));
  const { composer } = runtime().thread;
  composer.setText('Hello');
  await vi.waitFor(() => expect(composer.getState().canSend).toBe(true), 10_000);
  composer.send();
  const { mainThreadId } = runtime().threads.getState();
  await lists([mainThreadId, undefined], ['d', 'Renamed']);
  await shows(`${mainThreadId}: Hello`);
});

test('a file of the composer is saved in its message, and a file that is too large is refused with the limit', async () => {
  const { parley, errors, runtime, shows } = await openList();
  await parley.run(CreateChat, { input: { id: 'c' } });
  await shows('c: ');
  const { composer } = runtime().thread;
  await composer.addAttachment(new File(['\x89PNG'], 'dot.png', { type: 'image/png' }));
  composer.setText('Look');
  composer.send();
  await shows('c: Look');
  const store = new ThreadStore(parley, 'c');
  onTestFinished(() => store.close());
  await store.open();
  const { thread } = await store.when((state) => state.thread.length === 1);
  const url = `data:image/png;base64,${Buffer.from('\x89PNG').toString('base64')}`;
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', url },
  ];
  expect(thread).toMatchObject([{ name: 'user', text: 'Look', data: { role: 'user', parts } }]);
  const shown = () => runtime().thread.getState().messages[0]?.attachments;
  expect(shown()).toMatchObject([{ name: 'dot.png', type: 'image', content: [{ type: 'image', image: url }] }]);

  const large = (bytes: number) => new File([new Uint8Array(bytes)], 'large.bin');
  await expect(composer.addAttachment(large(800_000))).rejects.toThrow('"large.bin" has 800000 bytes');
  expect(composer.getState().attachments).toEqual([]);
  // Each file fits into a message, but not both: the composer keeps the message.
  await composer.addAttachment(large(500_000));
  await composer.addAttachment(large(500_000));
  composer.setText('Too much');
  composer.send();
  await vi.waitFor(() => expect(errors).toEqual([expect.stringMatching(/at most 1048576\. Remove a file\.$/)]), 10_000);
  await vi.waitFor(() => expect(composer.getState().text).toBe('Too much'), 10_000);
  expect(composer.getState().attachments).toHaveLength(2);
});

/** The runtime of docs/frontends.md with files, of a chat `c`. */
const FILES = `
import { AssistantRuntimeProvider } from '@assistant-ui/react';
import { ParleyProvider } from '@parley/client/react';
import { useFilesRuntime } from './assistant-files.js';
export { createParley } from '@parley/client';

export function Chat({ parley, use }) {
  return <ParleyProvider parley={parley} thread={{ create: true }}><Shown use={use} /></ParleyProvider>;
}

function Shown({ use }) {
  const runtime = useFilesRuntime('c');
  use(runtime);
  return <AssistantRuntimeProvider runtime={runtime}>shown</AssistantRuntimeProvider>;
}
`;

interface FilesProgram {
  Chat: FunctionComponent<{ parley: Parley; use: (runtime: AssistantRuntime) => void }>;
  createParley: typeof createParley;
}

test('a file is uploaded when it is added, its message refers to it, and its removal cancels the upload', async () => {
  const server = await startListening();
  const uploads: { aborted: boolean }[] = [];
  vi.stubGlobal('fetch', (...[url, init]: Parameters<typeof fetch>) => {
    if (init?.method !== 'POST' || !new URL(url as string).pathname.endsWith('/files')) return realFetch(url, init);
    const upload = { aborted: false };
    uploads.push(upload);
    init.signal?.addEventListener('abort', () => (upload.aborted = true));
    // The third upload takes until it is canceled.
    if (uploads.length < 3) return realFetch(url, init);
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const open = async () => {
    const folder = programFolder(`assistant-files-${++chats}`);
    const code = frontendCode('assistant-files.js').replace('http://127.0.0.1:4000/graphql', server.url);
    writeFileSync(join(folder, 'assistant-files.js'), code);
    const program = await clientProgram<FilesProgram>(folder, 'files.jsx', FILES);
    const parley = program.createParley({ url: server.url, webSocket: WebSocket });
    onTestFinished(() => parley.close());
    let runtime: AssistantRuntime | undefined;
    await openPage(createElement(program.Chat, { parley, use: (used) => void (runtime = used) }));
    return { parley, runtime: () => runtime! };
  };
  const { parley, runtime } = await open();
  const { composer } = runtime().thread;
  const statuses: unknown[] = [];
  composer.subscribe(() => statuses.push(composer.getState().attachments[0]?.status));
  await composer.addAttachment(new File([PNG], 'dot.png', { type: 'image/png' }));
  await composer.addAttachment(new File(['words'], 'a.txt', { type: 'text/plain' }));
  expect(statuses).toContainEqual({ type: 'running', reason: 'uploading', progress: 0 });
  expect(statuses.at(-1)).toEqual({ type: 'requires-action', reason: 'composer-send' });
  composer.setText('Look');
  composer.send();
  const store = new ThreadStore(parley, 'c');
  onTestFinished(() => store.close());
  await store.open();
  const { thread } = await store.when((state) => state.thread.length === 1);
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', url: `parley:file:${sha256(PNG)}` },
    { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url: `parley:file:${sha256('words')}` },
  ];
  expect(thread).toMatchObject([{ name: 'user', data: { role: 'user', parts } }]);
  expect(uploads).toEqual([{ aborted: false }, { aborted: false }]);

  const { runtime: other } = await open();
  const signed: unknown = expect.stringMatching(/^http.*signature=/);
  const content = [{ type: 'file', data: signed, filename: 'a.txt' }];
  await vi.waitFor(
    () =>
      expect(other().thread.getState().messages[0]?.attachments).toMatchObject([
        { name: 'dot.png', type: 'image', content: [{ type: 'image', image: signed }] },
        { name: 'a.txt', type: 'file', content },
      ]),
    10_000,
  );
  // An edit keeps the files, as references.
  const { composer: edit } = other().thread.getMessageById(thread[0]!.id);
  edit.beginEdit();
  edit.setText('Look again');
  edit.send();
  await store.when((state) => state.thread[0]?.text === 'Look again');
  expect(store.getState().thread[0]?.data).toMatchObject({ parts: [{ text: 'Look again' }, parts[1], parts[2]] });

  const added = composer.addAttachment(new File(['long'], 'b.txt'));
  await vi.waitFor(() => expect(uploads).toHaveLength(3));
  await composer.getAttachmentByIndex(0).remove();
  await added;
  expect(uploads[2]).toEqual({ aborted: true });
  expect(composer.getState().attachments).toEqual([]);
});
