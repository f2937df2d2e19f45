/** The chat of docs/frontends.md with assistant-ui's components in one tab, and another tab. */
import { createParley, ThreadStore, type Message } from '@parley/client';
import { CreateChat } from '@parley/client/operations';
import { DraftWriter } from '@parley/client/writer';
import { createElement, type FunctionComponent } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { frontendProgram, programFolder } from '../documented-programs.js';
import { openPage, type Page } from './page.js';

let chats = 0;

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
  const shows = (text: string) => expect.poll(() => drawn(page.text())).toBe(text);
  const press = (words: string) => expect.poll(() => page.press(words), { message: words }).toBe(true);
  const asked = (n: number) => expect.poll(() => model.asked).toHaveLength(n);
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
  await expect.poll(() => page.press('Send')).toBe(true);
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
  const lateShows = (text: string) => expect.poll(() => drawn(page.text())).toBe(text);
  await lateShows('four‹4/4›');
  for (const text of ['three‹3/4›', 'two‹2/4›', 'one‹1/4›']) {
    await expect.poll(() => page.press('‹')).toBe(true);
    await lateShows(text);
  }
  await expect.poll(() => page.press('›')).toBe(true);
  await lateShows('two‹2/4›');
  await other.when(({ thread }) => thread[0]?.text === 'two');
});
