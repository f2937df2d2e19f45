/** useParleyChat with createAnswerHandler: a server process writes the answers. */
import { RemoteStore } from '@parley/context';
import {
  lastAssistantMessageIsCompleteWithToolCalls,
  type AbstractChat,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { expect, expectTypeOf, test } from 'vitest';
import { openModel, openPage, serveModel, textOf } from './chat-page.js';
import type { ParleyChatOptions, UseParleyChat } from '../../src/ai/use-parley-chat.js';
import { abandon, openTab, sendTexts, startChat } from '../open-parley.js';

/** A server with a chat, and a route that answers with a model. */
async function openApp(...texts: string[]) {
  const server = await startChat(...texts);
  const model = openModel();
  const api = await serveModel(server, model, { onError: () => 'The model is down' });
  return { server, model, api };
}

test('a server process writes the answer, and both pages follow it', async () => {
  const { server, model, api } = await openApp('q');
  const [here, there] = [openPage(openTab(server), { api }), openPage(openTab(server), { api })];
  await Promise.all([here.shows('q'), there.shows('q')]);
  const sent = here.chat.sendMessage({ text: 'Tell me' });
  await expect.poll(() => model.asked).toEqual([['q', 'Tell me']]);
  model.begin();
  model.words('More ');
  await Promise.all([here, there].map((page) => page.shows('q | Tell me | More ', 'streaming')));
  // The request has ended; the answer has not.
  await sent;
  here.view.unmount();
  model.words('and more.');
  model.end();
  await there.shows('q | Tell me | More and more.');

  const again = there.chat.regenerate();
  await expect.poll(() => model.asked).toHaveLength(2);
  model.begin();
  model.words('Another.');
  model.end();
  await again;
  await there.shows('q | Tell me | Another.');
  expect(there.chat.siblings(there.chat.messages[2]!.id)).toMatchObject({ index: 1, count: 2, next: null });
});

test('a message that the route has refused or never received is sent again under the same id', async () => {
  const { server, model, api } = await openApp('q');
  let answer: 'lost' | 'refused' | 'given' = 'lost';
  const fetchOrNot: typeof fetch = async (...request) => {
    if (answer === 'lost') throw new TypeError('fetch failed');
    return answer === 'refused' ? Response.json({ error: { message: 'Sign in' } }, { status: 401 }) : fetch(...request);
  };
  const page = openPage(openTab(server), { api, fetch: fetchOrNot });
  await page.shows('q');
  await page.chat.sendMessage({ text: 'Keep this' });
  await page.shows('q | Keep this', 'error');
  const { id } = page.chat.messages[1]!;
  answer = 'refused';
  await page.chat.retry();
  await expect.poll(() => page.chat.error?.message).toBe('Sign in');
  await page.shows('q | Keep this', 'error');
  answer = 'given';
  const again = page.chat.retry();
  await expect.poll(() => model.asked).toEqual([['q', 'Keep this']]);
  model.begin();
  model.words('Kept.');
  model.end();
  await again;
  await page.shows('q | Keep this | Kept.');
  expect(page.chat.messages[1]?.id).toBe(id);
});

test('a model that fails before its first word leaves only the question and an error', async () => {
  const { server, model, api } = await openApp('q');
  const page = openPage(openTab(server), { api });
  await page.shows('q');
  const sent = page.chat.sendMessage({ text: 'Why?' });
  await expect.poll(() => model.asked).toHaveLength(1);
  model.fail(new Error('secret'));
  await sent;
  await page.shows('q | Why?', 'error');
  expect(page.chat.error?.message).toBe('The model is down');
  page.chat.clearError();
  await page.shows('q | Why?');
});

test('a model that fails after some words is an error in all tabs, and a retry requests another answer', async () => {
  const { server, model, api } = await openApp('q');
  const errors: string[] = [];
  const page = openPage(openTab(server), { api, onError: ({ message }) => errors.push(message) });
  const other = openPage(openTab(server), { api });
  await Promise.all([page.shows('q'), other.shows('q')]);
  const sent = page.chat.sendMessage({ text: 'Why?' });
  await expect.poll(() => model.asked).toHaveLength(1);
  model.begin();
  model.words('Be');
  await other.shows('q | Why? | Be', 'streaming');
  model.fail(new Error('secret'));
  await sent;
  await Promise.all([page.shows('q | Why? | Be', 'error'), other.shows('q | Why? | Be', 'error')]);
  const metadata = { status: 'incomplete', failure: 'The model is down' };
  await expect.poll(() => other.chat.messages[2]?.metadata).toEqual(metadata);
  const { id: failedId } = other.chat.messages[2]!;
  expect([page.chat.error?.message, other.chat.error?.message, ...errors]).toEqual(Array(3).fill('The model is down'));
  const later = openPage(openTab(server), { api });
  await later.shows('q | Why? | Be');
  const again = other.chat.retry();
  await expect.poll(() => model.asked).toHaveLength(2);
  model.begin();
  model.words('Because.');
  model.end();
  await again;
  await other.shows('q | Why? | Because.');
  expect(other.chat.siblings(other.chat.messages[2]!.id)).toMatchObject({ index: 1, previous: failedId });
});

test('an answer that its writer has abandoned before its first word is an error, and a retry answers', async () => {
  const { server, model, api } = await openApp('q');
  const errors: string[] = [];
  const page = openPage(openTab(server), { api, onError: ({ message }) => errors.push(message) });
  await page.shows('q');
  const writer = new RemoteStore({ url: server.url });
  await writer.startDraft('c', { id: 'd' });
  await page.shows('q | ', 'submitted');
  await abandon(server);
  await page.shows('q', 'error');
  expect(errors).toEqual(['The answer was abandoned.']);
  const again = page.chat.retry();
  await model.answers('a');
  await again;
  await page.shows('q | a');
  // An answer with content is saved as far as it has come.
  await writer.startDraft('c', { id: 'e' });
  await writer.appendToDraft('c', 'e', 0, ['b']);
  await page.shows('q | a | b', 'streaming');
  await abandon(server);
  await page.shows('q | a | b');
  expect(errors).toHaveLength(1);
});

test('each abandonment of the answer to a repeated question is an error', async () => {
  const { server, api } = await openApp('q');
  const errors: string[] = [];
  const page = openPage(openTab(server), { api, onError: ({ message }) => errors.push(message) });
  await page.shows('q');
  const writer = new RemoteStore({ url: server.url });
  for (const count of [1, 2]) {
    await writer.startDraft('c', { id: 'd' });
    await page.shows('q | ', 'submitted');
    await abandon(server);
    await page.shows('q', 'error');
    expect(errors).toHaveLength(count);
  }
});

test('an abandoned answer that is discarded while the page is offline is an error', async () => {
  const { server, api } = await openApp('q');
  const tab = openTab(server);
  const page = openPage(tab, { api, fetch: () => Promise.reject(new TypeError('fetch failed')) });
  await page.shows('q');
  const writer = new RemoteStore({ url: server.url });
  await writer.startDraft('c', { id: 'd' });
  await page.shows('q | ', 'submitted');
  await abandon(server);
  await expect.poll(() => page.chat.thread.at(-1)?.status).toBe('abandoned');
  tab.hold();
  tab.cut();
  await expect.poll(() => page.chat.storeStatus).toBe('away');
  await writer.discardDraft('c', 'd');
  tab.release();
  await page.shows('q', 'error');
});

test('a failed request can be repeated while another answer is written', async () => {
  const { server, api } = await openApp('q');
  const page = openPage(openTab(server), { api, fetch: () => Promise.reject(new TypeError('fetch failed')) });
  await page.shows('q');
  await page.chat.regenerate();
  await page.shows('q', 'error');
  const writer = new RemoteStore({ url: server.url });
  const chunk = { type: 'error', errorText: 'It failed.' };
  await writer.startDraft('c', { id: 'd' });
  await writer.appendToDraft('c', 'd', 0, [{ type: 'start' }, chunk]);
  await expect.poll(() => page.chat.error?.message).toBe('It failed.');
  await writer.discardDraft('c', 'd');
  await writer.startDraft('c', { id: 'e' });
  await writer.appendToDraft('c', 'e', 0, ['a']);
  await page.shows('q | a', 'error');
});

test('an answer of another writer whose chunks the page cannot read is no error', async () => {
  const { server, api } = await openApp('q');
  const page = openPage(openTab(server), { api });
  await page.shows('q');
  const writer = new RemoteStore({ url: server.url });
  await writer.startDraft('c', { id: 'd' });
  const unreadable = { type: 'text-delta', id: 'not-started', delta: 'text' };
  await writer.appendToDraft('c', 'd', 0, [{ type: 'start' }, unreadable, { type: 'finish' }]);
  await page.shows('q | text', 'streaming');
  await writer.finishDraft('c', 'd');
  await page.shows('q | text');
  expect(page.chat.error).toBeUndefined();
});

test('data and the end of an answer are reported once, in the page that has asked', async () => {
  const { server, model, api } = await openApp('q');
  const reported: unknown[] = [];
  const listening = (who: string) => ({
    api,
    onData: ({ type, data }: { type: string; data: unknown }) => reported.push([who, type, data]),
    onFinish: ({ message, messages, isError }: { message: UIMessage; messages: UIMessage[]; isError: boolean }) =>
      reported.push([who, textOf(message), messages.length, isError]),
  });
  const page = openPage(openTab(server), listening('page'));
  const other = openPage(openTab(server), listening('other'));
  await Promise.all([page.shows('q'), other.shows('q')]);
  const sent = page.chat.sendMessage({ text: 'Why?' });
  await expect.poll(() => model.asked).toHaveLength(1);
  model.begin();
  model.chunks({ type: 'data-step', data: 'search' }, { type: 'data-step', data: 'read', transient: true });
  model.words('Because.');
  await page.shows('q | Why? | Because.', 'streaming');
  model.end();
  await sent;
  await Promise.all([page.shows('q | Why? | Because.'), other.shows('q | Why? | Because.')]);
  const expected = [
    ['page', 'data-step', 'search'],
    ['page', 'data-step', 'read'],
    ['page', 'Because.', 3, false],
  ];
  await expect.poll(() => reported).toEqual(expected);
});

test('setMessages shows other messages in this page, until the thread changes', async () => {
  const { server, api } = await openApp('q', 'r');
  const [here, there] = [openPage(openTab(server), { api }), openPage(openTab(server), { api })];
  await Promise.all([here.shows('q | r'), there.shows('q | r')]);
  here.chat.setMessages((messages) => messages.slice(0, 1));
  await here.shows('q');
  await there.shows('q | r');
  await sendTexts(server.tab, 's');
  await Promise.all([here.shows('q | r | s'), there.shows('q | r | s')]);
});

test('the result has the types of useChat, and tools give the types of their calls and data', () => {
  type Message = UIMessage<unknown, { step: string }, { place: { input: { of: string }; output: string } }>;
  type Helpers = Pick<
    AbstractChat<Message>,
    'messages' | 'status' | 'error' | 'sendMessage' | 'regenerate' | 'stop'
  > & {
    setMessages(messages: Message[] | ((messages: Message[]) => Message[])): void;
  };
  expectTypeOf<UseParleyChat<Message>>().toExtend<Helpers>();
  const options: ParleyChatOptions<Message> = {
    onToolCall: ({ toolCall }) => {
      if (toolCall.dynamic !== true) expectTypeOf(toolCall.input).toEqualTypeOf<{ of: string }>();
    },
    onData: ({ type, data }) => {
      expectTypeOf(type).toEqualTypeOf<'data-step'>();
      expectTypeOf(data).toEqualTypeOf<string>();
    },
  };
  expectTypeOf(options).toEqualTypeOf<ParleyChatOptions<Message>>();
});

test('a tool output continues the turn in the same answer', async () => {
  const { server, model, api } = await openApp('q');
  const calls: unknown[] = [];
  const [here, there] = [
    openPage(openTab(server), {
      api,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => calls.push(toolCall),
    }),
    openPage(openTab(server), { api }),
  ];
  await Promise.all([here.shows('q'), there.shows('q')]);
  const sent = here.chat.sendMessage({ text: 'Where am I?' });
  await expect.poll(() => model.asked).toHaveLength(1);
  const call: UIMessageChunk = { type: 'tool-input-available', toolCallId: 't', toolName: 'place', input: {} };
  model.chunks({ type: 'start' }, { type: 'start-step' }, call, { type: 'finish-step' });
  model.finish();
  await sent;
  await Promise.all([here.shows('q | Where am I? | '), there.shows('q | Where am I? | ')]);
  expect(calls).toEqual([{ toolCallId: 't', toolName: 'place', input: {} }]);
  const { id } = here.chat.messages[2]!;

  void here.chat.addToolOutput({ tool: 'place' as never, toolCallId: 't', output: 'Faro' });
  await expect.poll(() => model.asked).toHaveLength(2);
  model.begin();
  model.words('In Faro.');
  model.end();
  for (const page of [here, there]) {
    await page.shows('q | Where am I? | In Faro.');
    await expect.poll(() => page.chat.thread.at(-1)?.status).toBeUndefined();
    expect(page.chat.messages).toHaveLength(3);
    const answer = page.chat.messages[2]!;
    expect(answer.id).toBe(id);
    expect(answer.parts).toContainEqual(expect.objectContaining({ toolCallId: 't', output: 'Faro' }));
  }
});

test('stop before the first word saves only the question', async () => {
  const { server, model, api } = await openApp('q');
  const page = openPage(openTab(server), { api });
  await page.shows('q');
  const sent = page.chat.sendMessage({ text: 'Why?' });
  await expect.poll(() => model.asked).toHaveLength(1);
  await page.chat.stop();
  await sent;
  await page.shows('q | Why?');
});
