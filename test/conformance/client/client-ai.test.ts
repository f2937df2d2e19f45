/** Messages and answers of useChat in a chat: versions, other tabs, stops and errors. */
import { ThreadStore } from '@parley/client';
import type { UIMessage } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { drafted, openPage, savedThread, send, stored, texts, until } from './chat-page.js';

test('a question and its answer are a thread, and another answer is a sibling of the first', async () => {
  const server = await startListening();
  const page = openPage(server);
  const { chat, model, parley } = page;
  await send(page, 'Where to?', 'To Lisbon.');
  expect(texts(chat.messages)).toEqual(['Where to?', 'To Lisbon.']);

  const store = new ThreadStore(parley, 'c');
  onTestFinished(() => store.close());
  await store.open();
  await store.when(({ thread }) => thread.length === 2 && thread.every(({ status }) => status === undefined));
  expect(store.getState().thread.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
  expect(store.getState().thread.at(-1)).toMatchObject({ name: 'assistant', data: { role: 'assistant' } });

  const again = chat.regenerate();
  await model.requests(2);
  model.words('To Porto.');
  model.end();
  await again;
  await store.when(({ thread }) => thread.at(-1)?.text === 'To Porto.');
  const last = chat.messages.at(-1)!;
  await store.when(() => store.getMessageSiblingInfo(last.id)?.siblingCount === 2);

  // An edit is a sibling of the question, followed by its answer.
  const edited = chat.sendMessage({ text: 'Where to, in winter?', messageId: chat.messages[0]!.id });
  await model.requests(3);
  model.words('To Faro.');
  model.end();
  await edited;
  await store.when(({ thread }) => thread.map(({ text }) => text).join() === 'Where to, in winter?,To Faro.');
  expect(store.getMessageSiblingInfo(store.getState().thread[0]!.id)).toMatchObject({
    siblingIndex: 1,
    siblingCount: 2,
  });
});

test('another tab resumes the answer as it grows, and stops it', async () => {
  const server = await startListening();
  const here = openPage(server);
  const sent = here.chat.sendMessage({ text: 'Count.' });
  await here.model.requests(1);
  here.model.words('One, ');

  const there = openPage(server, { messages: here.chat.messages.slice(0, 1) });
  const resumed = there.chat.resumeStream();
  await until(() => expect(texts(there.chat.messages)).toEqual(['Count.', 'One, ']));
  here.model.words('two.');
  await until(() => expect(texts(there.chat.messages)).toEqual(['Count.', 'One, two.']));

  await there.transport.stop('c');
  // The response to the next append stops the writer.
  here.model.words(' three.');
  await Promise.all([sent, resumed]);
  expect(there.chat.messages.at(-1)?.id).toBe(here.chat.messages.at(-1)?.id);
  expect(await savedThread(server)).toMatchObject([
    {},
    {
      metadata: { status: 'incomplete' },
      parts: [{ type: 'step-start' }, { text: 'One, two. three.', state: 'done' }],
    },
  ]);
  expect(await stored(server)).toEqual({ messages: 2, drafts: [] });
  expect(here.errors).toEqual([]);
  expect(await there.transport.reconnectToStream({ chatId: 'c' })).toBeNull();
  // The answer has already ended.
  await there.transport.stop('c');
});

test('a stop succeeds together with the stop of useChat', async () => {
  const server = await startListening();
  const page = openPage(server);
  const { chat, model, transport } = page;
  const sent = chat.sendMessage({ text: 'Count.' });
  await model.requests(1);
  model.words('One');
  await drafted(page, 'One');
  await Promise.all([chat.stop(), transport.stop('c'), transport.stop('c')]);
  await sent;
  await until(async () => expect(await stored(server)).toEqual({ messages: 2, drafts: [] }));
  expect((await savedThread(server)).at(-1)).toMatchObject({ metadata: { status: 'incomplete' } });
});

test('an answer that is stopped before its first word leaves nothing', async () => {
  const server = await startListening();
  const page = openPage(server);
  const sent = page.chat.sendMessage({ text: 'Count.' });
  await page.model.requests(1);
  await page.chat.stop();
  await sent;
  await until(async () => expect(await stored(server)).toEqual({ messages: 1, drafts: [] }));
  await send(page, 'Again.', 'One.');
  expect(texts(await savedThread(server))).toEqual(['Count.', 'Again.', 'One.']);
});

test('a message that is sent while another tab writes the answer stops that answer, and follows it', async () => {
  const server = await startListening();
  const there = openPage(server);
  const sent = there.chat.sendMessage({ text: 'Count.' });
  await there.model.requests(1);
  there.model.words('One');
  await drafted(there, 'One');
  const here = openPage(server, { messages: there.chat.messages });
  const second = send(here, 'Faster.', 'Two.');
  await until(async () => {
    const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { state } } } } }');
    expect(data).toEqual({ chat: { drafts: { edges: [{ node: { state: 'STOPPING' } }] } } });
  });
  there.model.words(', ');
  await Promise.all([sent, second]);
  const thread = await savedThread(server);
  expect(texts(thread)).toEqual(['Count.', 'One, ', 'Faster.', 'Two.']);
  expect(thread[1]).toMatchObject({ metadata: { status: 'incomplete' } });
});

describe('a message that could not be saved', () => {
  test('is an error of useChat, and a retry saves it once', async () => {
    const server = await startListening();
    let isAway = false;
    const page = openPage(server, {}, (...request) =>
      isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(...request),
    );
    await send(page, 'Where to?', 'To Lisbon.');
    isAway = true;
    await page.chat.sendMessage({ text: 'And then?' });
    expect(page.chat.error).toMatchObject({ code: 'UNREACHABLE' });
    expect(texts(page.chat.messages)).toEqual(['Where to?', 'To Lisbon.', 'And then?']);
    isAway = false;
    for (const retry of [() => page.chat.regenerate(), () => page.chat.sendMessage()]) {
      const count = page.model.asked.length;
      const sent = retry();
      await page.model.requests(count + 1);
      page.model.fail(new Error('The model failed'));
      await sent;
    }
    const sent = page.chat.regenerate();
    await page.model.requests(4);
    page.model.words('To Porto.');
    page.model.end();
    await sent;
    expect(texts(await savedThread(server))).toEqual(['Where to?', 'To Lisbon.', 'And then?', 'To Porto.']);
    expect(await stored(server)).toEqual({ messages: 4, drafts: [] });
  });

  test('is an edit that is saved once, also when only its answer fails', async () => {
    const server = await startListening();
    const page = openPage(server);
    await send(page, 'Where to?', 'To Lisbon.');
    page.model.refusal = new Error('The model is not available');
    await page.chat.sendMessage({ text: 'Where?', messageId: page.chat.messages[0]!.id });
    expect(page.errors).toMatchObject([{ message: 'The model is not available' }]);
    const sent = page.chat.sendMessage();
    await page.model.requests(2);
    page.model.words('To Porto.');
    page.model.end();
    await sent;
    expect(texts(await savedThread(server))).toEqual(['Where?', 'To Porto.']);
    expect(await stored(server)).toEqual({ messages: 4, drafts: [] });
  });

  test('is an edit that is saved once, also when its response is lost and another page edits before the retry', async () => {
    const server = await startListening();
    let isLost = false;
    const page = openPage(server, {}, async (...request) => {
      const response = await fetch(...request);
      if (!isLost || !(request[1]?.body as string).includes('SaveMessages')) return response;
      isLost = false;
      throw new TypeError('fetch failed');
    });
    await send(page, 'Where to?', 'To Lisbon.');
    const [{ id: messageId }] = page.chat.messages as [UIMessage];
    const there = openPage(server, { messages: structuredClone(page.chat.messages) });
    isLost = true;
    await page.chat.sendMessage({ text: 'Where?', messageId });
    expect(page.chat.error).toMatchObject({ code: 'UNREACHABLE' });
    there.model.refusal = new Error('The model is not available');
    await there.chat.sendMessage({ text: 'Where else?', messageId });
    const sent = page.chat.sendMessage();
    await page.model.requests(2);
    page.model.words('To Porto.');
    page.model.end();
    await sent;
    expect(texts(page.chat.messages)).toEqual(['Where?', 'To Porto.']);
    expect(await stored(server)).toEqual({ messages: 5, drafts: [] });
  });
});

describe('only the drafts below the shown message', () => {
  /** A thread of one answer, whose chat has a draft on another branch. */
  async function otherBranch() {
    const server = await startListening();
    const page = openPage(server);
    await send(page, 'Where to?', 'To Lisbon.');
    const there = openPage(server);
    void there.chat.sendMessage({ text: 'Something else.' });
    await there.model.requests(1);
    there.model.words('Yes');
    await drafted(there, 'Yes');
    return { server, page, there };
  }

  test('are resumed', async () => {
    const { page, server, there } = await otherBranch();
    expect(await page.transport.reconnectToStream({ chatId: 'c' })).toBeNull();
    const other = openPage(server, { leafId: () => there.chat.messages[0]!.id });
    const resumed = other.chat.resumeStream();
    await until(() => expect(texts(other.chat.messages)).toEqual(['Yes']));
    there.model.end();
    await resumed;
  });

  test('are stopped', async () => {
    const { page, server } = await otherBranch();
    await page.transport.stop('c');
    const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { state } } } } }');
    expect(data).toEqual({ chat: { drafts: { edges: [{ node: { state: 'WRITING' } }] } } });
  });
});
