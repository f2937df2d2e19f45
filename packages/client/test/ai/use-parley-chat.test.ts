/** useParleyChat, with this page as the writer, against a server in this process. */
import type { UIMessage } from 'ai';
import { createElement as h, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { useParleyChat, type SendMessages } from '../../src/ai/use-parley-chat.js';
import { SaveMessages } from '../../src/generated/operations.js';
import { readThreadState } from '../../src/store/initial-state.js';
import { ParleyProvider } from '../../src/react/react.js';
import { openModel, openPage, textOf } from './chat-page.js';
import { openTab, sendTexts, startChat, writesOf } from '../open-parley.js';

/** A chat `c` with a question `q` and its answer `a`, which another client saved in its own format. */
async function startAnswered() {
  const server = await startChat('q');
  const messages = [{ id: 'a', name: 'assistant', content: { data: { role: 'assistant', content: 'a' } } }];
  await server.tab.parley.run(SaveMessages, { input: { chatId: 'c', messages } });
  return server;
}

test('a message is shown immediately, and its answer grows under one id in both tabs', async () => {
  const server = await startAnswered();
  const model = openModel();
  const [here, there] = [openPage(openTab(server), model), openPage(openTab(server), {})];
  await Promise.all([here.shows('q | a'), there.shows('q | a')]);
  const sent = here.chat.sendMessage({ text: 'And then?' });
  await expect.poll(() => here.renders.at(-1)?.messages.map(textOf).slice(0, 3)).toEqual(['q', 'a', 'And then?']);
  expect(here.chat.status).toBe('submitted');
  await expect.poll(() => model.asked).toEqual([['q', 'a', 'And then?']]);
  model.chunks({ type: 'start', messageMetadata: { model: 'm' } }, { type: 'text-start', id: '0' });
  model.words('Then ');
  await Promise.all([here, there].map((page) => page.shows('q | a | And then? | Then ', 'streaming')));
  await sent;
  const ids = here.chat.messages.map(({ id }) => id);
  const [first] = there.chat.messages;
  model.words('we sleep.');
  model.end();
  for (const page of [here, there]) {
    await page.shows('q | a | And then? | Then we sleep.');
    expect(page.chat.messages.map(({ id }) => id)).toEqual(ids);
    expect(page.chat.thread.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, undefined]));
  }
  expect(there.chat.messages[0]).toBe(first);
  expect(here.chat.messages.at(-1)).toMatchObject({
    parts: [{ type: 'text', state: 'done' }],
    metadata: { model: 'm' },
  });
});

test('no render of either tab shows a shorter answer, an empty list, a duplicate, or another id', async () => {
  const server = await startAnswered();
  const model = openModel();
  const pages = [openPage(openTab(server), model), openPage(openTab(server), {})] as const;
  await Promise.all(pages.map((page) => page.shows('q | a')));
  for (const page of pages) page.renders.length = 0;
  const sent = pages[0].chat.sendMessage({ text: 'Count.' });
  await expect.poll(() => model.asked).toHaveLength(1);
  model.begin();
  for (let n = 0; n < 40; n++) {
    model.words(`${n} `);
    await new Promise((resolve) => setImmediate(resolve));
  }
  model.end();
  await sent;
  const text = Array.from({ length: 40 }, (_, n) => `${n} `).join('');
  for (const page of pages) {
    await page.shows(`q | a | Count. | ${text}`);
    let [length, shown] = [0, 0];
    const last = page.chat.messages.map(({ id }) => id);
    for (const { messages } of page.renders) {
      expect(messages.map(({ id }) => id)).toEqual(last.slice(0, messages.length));
      expect(messages.length).toBeGreaterThanOrEqual(length);
      const now = messages.map(textOf).join('').length;
      expect(now).toBeGreaterThanOrEqual(shown);
      [length, shown] = [messages.length, now];
    }
  }
});

test('an edit and a regeneration are versions, with arrows in both tabs', async () => {
  const server = await startAnswered();
  const model = openModel();
  const [here, there] = [openPage(openTab(server), model), openPage(openTab(server), {})];
  await Promise.all([here.shows('q | a'), there.shows('q | a')]);
  const answered = model.answers('b');
  await here.chat.regenerate({ messageId: 'a' });
  await answered;
  await Promise.all([here.shows('q | b'), there.shows('q | b')]);
  expect(model.asked).toEqual([['q']]);
  const { id } = there.chat.messages[1]!;
  expect(there.chat.siblings(id)).toEqual({ index: 1, count: 2, previous: 'a', next: null });
  expect(here.chat.siblings('a')).toEqual({ index: 0, count: 2, previous: null, next: id });

  const edited = model.answers('c');
  await here.chat.edit('q', 'q2');
  await edited;
  await Promise.all([here.shows('q2 | c'), there.shows('q2 | c')]);
  expect(there.chat.siblings(there.chat.messages[0]!.id)).toEqual({ index: 1, count: 2, previous: 'q', next: null });
  expect(there.renders.every(({ messages }, n) => n < 3 || messages.length > 0)).toBe(true);
  await there.chat.switchToSibling('q');
  await Promise.all([here.shows('q | b'), there.shows('q | b')]);
});

test('an answer after an answer is regenerated beside it', async () => {
  const server = await startAnswered();
  const answer = { id: 'b', name: 'assistant', content: { data: { role: 'assistant', content: 'b' } } };
  await server.tab.parley.run(SaveMessages, { input: { chatId: 'c', messages: [answer] } });
  const model = openModel();
  const page = openPage(openTab(server), model);
  await page.shows('q | a | b');
  const sent = page.chat.regenerate({ messageId: 'b' });
  await expect.poll(() => model.asked).toEqual([['q', 'a']]);
  model.begin();
  model.words('b2');
  model.end();
  await sent;
  await page.shows('q | a | b2');
  expect(page.chat.siblings('b')).toMatchObject({ index: 0, count: 2 });
});

test('the first message of a new chat creates the chat and starts its answer, in one request', async () => {
  const server = await startChat();
  const model = openModel();
  const tab = openTab(server);
  const page = openPage(tab, model, 'new', (node) => h(StrictMode, null, node));
  await page.isLive();
  const sent = page.chat.sendMessage({ text: 'Hello' });
  await expect.poll(() => model.asked).toEqual([['Hello']]);
  expect(writesOf(tab)).toEqual(['Ask']);
  // The draft of the answer may be shown already.
  expect([textOf(page.chat.messages[0]!), page.chat.status]).toEqual(['Hello', 'submitted']);
  model.begin();
  model.words('Hi');
  model.end();
  await sent;
  await page.shows('Hello | Hi');
  page.open('c');
  await page.shows('');
  await sendTexts(server.tab, 'other');
  await page.shows('other');
  page.open('new');
  await page.shows('Hello | Hi');
});

test('a message that could not be sent is kept with an error, and can be sent again', async () => {
  const server = await startChat('q');
  const model = openModel();
  let isDown = true;
  const down: SendMessages<UIMessage> = async (options) => {
    if (isDown) throw new Error('The model is down');
    return model.answer(options);
  };
  const errors: string[] = [];
  const page = openPage(openTab(server), { answer: down, onError: ({ message }) => errors.push(message) });
  await page.shows('q');
  await page.chat.sendMessage({ text: 'Keep this' });
  await page.shows('q | Keep this', 'error');
  expect([page.chat.error?.message, ...errors]).toEqual(['The model is down', 'The model is down']);
  const { id } = page.chat.messages[1]!;
  isDown = false;
  const again = page.chat.retry();
  await expect.poll(() => model.asked).toHaveLength(1);
  model.begin();
  model.words('kept');
  model.end();
  await again;
  await page.shows('q | Keep this | kept');
  expect(page.chat.messages[1]?.id).toBe(id);
});

test('a retry after a lost response continues the answer of the lost request', async () => {
  const server = await startChat('q');
  const model = openModel();
  let isLost = false;
  const tab = openTab(server, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isLost || !/mutation Ask/.test(init?.body as string)) return response;
      isLost = true;
      await response.text();
      throw new TypeError('the connection broke');
    },
  });
  const page = openPage(tab, model);
  await page.shows('q');
  await page.chat.sendMessage({ text: 'And then?' });
  await page.shows('q | And then? | ', 'error');
  const again = page.chat.retry();
  await expect.poll(() => model.asked).toHaveLength(1);
  expect(page.chat.store.getState().drafts).toHaveLength(1);
  model.begin();
  model.words('Then.');
  model.end();
  await again;
  await page.shows('q | And then? | Then.');
  await page.chat.store.loadAll();
  expect(page.chat.store.getState().allMessages).toHaveLength(3);
});

test('stop in another tab ends the answer', async () => {
  const server = await startChat('q');
  const model = openModel();
  const [here, there] = [openPage(openTab(server), model), openPage(openTab(server), {})];
  await Promise.all([here.shows('q'), there.shows('q')]);
  const sent = here.chat.sendMessage({ text: 'Talk' });
  await expect.poll(() => model.asked).toHaveLength(1);
  model.begin();
  model.words('Well, ');
  await sent;
  await there.shows('q | Talk | Well, ', 'streaming');
  await there.chat.stop();
  model.words('you see');
  model.end();
  await Promise.all([here.shows('q | Talk | Well, you see'), there.shows('q | Talk | Well, you see')]);
  await there.chat.stop();
  expect(there.chat.status).toBe('ready');
});

test('two panes show two branches, and a server renders an initial state', async () => {
  const server = await startAnswered();
  const tab = openTab(server);
  await tab.parley.run(SaveMessages, {
    input: { chatId: 'c', at: { message: 'q' }, messages: [{ id: 'b', name: 'assistant', content: { text: 'b' } }] },
  });
  const [left, right] = [openPage(tab, { branch: 'main' }), openPage(tab, {})];
  await Promise.all([left.shows('q | a'), right.shows('q | b')]);
  const initialState = await readThreadState(tab.parley, 'c');
  const fresh = openTab(server);
  const Chat = () => useParleyChat('c', { initialState }).messages.map(textOf).join(' | ');
  expect(renderToString(h(ParleyProvider, { parley: fresh.parley }, h(Chat)))).toBe('q | b');
  expect(fresh.requests).toEqual([]);
});

test('an empty message is refused, and a server without an initial state renders nothing', async () => {
  const server = await startChat('q');
  const tab = openTab(server);
  const page = openPage(tab, {});
  await page.shows('q');
  await expect(page.chat.sendMessage({ text: '' })).rejects.toThrow('The message is empty');
  const fresh = openTab(server);
  const Chat = () => useParleyChat('c').messages.map(textOf).join();
  expect(renderToString(h(ParleyProvider, { parley: fresh.parley }, h(Chat)))).toBe('');
  expect(fresh.requests).toEqual([]);
});
