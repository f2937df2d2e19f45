/** useChat on the transport of @parley/client, with answers that a server process writes: those of createAnswerHandler. */
import { ParleyChatTransport } from '@parley/client/ai';
import type { AnswerHandlerOptions } from '@parley/context/answer';
import * as ai from 'ai';
import type { ChatInit, UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { openParley, serve } from '../../../packages/context/test/chat-pages.js';
import { openPage as openChat } from '../../../packages/context/test/sdk-page.js';
import { texts, until } from './chat-page.js';

interface RoutePage {
  chat: ai.AbstractChat<UIMessage>;
  transport: ParleyChatTransport;
  errors: Error[];
  /** The bodies of the page's POST requests. */
  bodies: { messages: UIMessage[] }[];
}

/** A route whose model emits the words that the test releases one by one; an answer ends after its last word. */
async function openRoute(options: Partial<AnswerHandlerOptions> = {}) {
  const { store } = await openParley();
  const released: (() => void)[] = [];
  const answers: string[][] = [];
  const api = await serve({
    store,
    stream: async function* () {
      for (const word of answers.shift() ?? ['Yes.']) {
        if (word === '…') await new Promise<void>((resolve) => released.push(resolve));
        else yield word;
      }
    } as NonNullable<AnswerHandlerOptions['stream']>,
    ...options,
  });
  return { store, api, answers, release: () => released.shift()?.(), isHeld: () => released.length > 0 };
}

interface RoutePageOptions extends ChatInit<UIMessage> {
  leafId?: () => string | null;
  /** Called with each response before the page receives it. */
  responded?: () => Promise<void>;
}

function openPage(api: string, init: RoutePageOptions = {}): RoutePage {
  const { leafId, responded, ...rest } = init;
  const bodies: RoutePage['bodies'] = [];
  const transport = new ParleyChatTransport({
    api,
    headers: () => ({ 'x-page': 'test' }),
    fetch: async (url, request) => {
      expect(new Headers(request?.headers).get('x-page')).toBe('test');
      if (request?.method === 'POST') bodies.push(JSON.parse(request.body as string) as RoutePage['bodies'][number]);
      const response = await fetch(url, request);
      await responded?.();
      return response;
    },
    ...(leafId && { leafId }),
  });
  const errors: Error[] = [];
  return {
    chat: openChat(ai, { id: 'c', api, transport, onError: (error) => errors.push(error), ...rest }),
    transport,
    errors,
    bodies,
  };
}

test('messages, edits and other answers are saved once; a request has the last two messages', async () => {
  const { api, store, answers } = await openRoute();
  answers.push(['To Lisbon.'], ['To Porto.'], ['To Faro.'], ['By train.'], ['By bus.']);
  const { chat, bodies, errors } = openPage(api);
  await chat.sendMessage({ text: 'Where to?' });
  await chat.regenerate();
  await chat.sendMessage({ text: 'Where?', messageId: chat.messages[0]!.id });
  await chat.sendMessage({ text: 'How?' });
  await chat.regenerate();
  expect(errors).toEqual([]);
  expect(texts(chat.messages)).toEqual(['Where?', 'To Faro.', 'How?', 'By bus.']);
  expect(Math.max(...bodies.map(({ messages }) => messages.length))).toBe(2);
  const chain = await store.getMessages('c');
  expect(texts(chain.map(({ data }) => data as UIMessage))).toEqual(texts(chat.messages));
  expect(chain.slice(1).map(({ id }) => id)).toEqual(chat.messages.slice(1).map(({ id }) => id));
  expect((await store.getGraph('c')).nodes).toHaveLength(8);
});

test('a reloaded page resumes the answer, which a stop in any page ends as incomplete', async () => {
  const { api, store, answers, isHeld } = await openRoute();
  answers.push(['To ', '…', 'Lisbon.']);
  const closed = openPage(api);
  void closed.chat.sendMessage({ text: 'Where to?' });
  await until(() => expect(texts(closed.chat.messages)).toEqual(['Where to?', 'To ']));
  expect(isHeld()).toBe(true);
  await closed.chat.stop();

  const { chat, transport, errors } = openPage(api, { messages: closed.chat.messages.slice(0, 1) });
  const resumed = chat.resumeStream();
  await until(() => expect(texts(chat.messages)).toEqual(['Where to?', 'To ']));
  await transport.stop('c');
  await resumed;
  await until(async () => expect(await store.listDrafts('c')).toEqual([]));
  expect((await store.getMessages('c'))[1]).toMatchObject({
    id: chat.messages[1]!.id,
    data: { metadata: { status: 'incomplete' }, parts: [{ text: 'To ' }] },
  });
  expect(errors).toEqual([]);
  // The answer has already ended.
  await transport.stop('c');
  expect(await transport.reconnectToStream({ chatId: 'c' })).toBeNull();
});

test('an answer below another message is neither resumed nor stopped', async () => {
  const { api, store, answers, release } = await openRoute();
  answers.push(['Yes.'], ['To ', '…', 'Lisbon.']);
  const page = openPage(api);
  await page.chat.sendMessage({ text: 'Hello?' });
  const other = openPage(api);
  const sent = other.chat.sendMessage({ text: 'Where to?' });
  await until(() => expect(texts(other.chat.messages)).toEqual(['Where to?', 'To ']));
  expect(await page.transport.reconnectToStream({ chatId: 'c' })).toBeNull();
  await page.transport.stop('c');
  release();
  await sent;
  expect(texts(other.chat.messages)).toEqual(['Where to?', 'To Lisbon.']);
  expect(await store.listDrafts('c')).toEqual([]);
});

test('an error of the route has its code and message, and a retry saves the message once', async () => {
  const { store } = await openParley();
  let isAway = true;
  const api = await serve({
    store: () => {
      if (isAway) throw new Error('No database');
      return store;
    },
    stream: () => ['Yes.'],
    onError: () => 'The answer failed.',
  });
  const { chat, errors } = openPage(api);
  await chat.sendMessage({ text: 'Hello?' });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ name: 'RequestError', code: expect.stringMatching(/^[A-Z_]+$/) as string });
  expect(errors[0]!.message).not.toContain('{');
  expect(texts(chat.messages)).toEqual(['Hello?']);
  isAway = false;
  await chat.regenerate();
  expect(texts(await shown(store))).toEqual(['Hello?', 'Yes.']);
});

test('an edit whose response is lost is saved once by its retry, also after another page has edited', async () => {
  const { api, store, answers } = await openRoute();
  answers.push(['To Lisbon.'], ['To Porto.'], ['To Faro.']);
  const lose = { isNext: false };
  const page = openPage(api, {
    responded: async () => {
      if (!lose.isNext) return;
      lose.isNext = false;
      throw new TypeError('fetch failed');
    },
  });
  await page.chat.sendMessage({ text: 'Where to?' });
  const other = openPage(api, { messages: structuredClone(page.chat.messages) });
  lose.isNext = true;
  const [{ id }] = page.chat.messages as [UIMessage];
  await page.chat.sendMessage({ text: 'Where?', messageId: id });
  expect(page.errors).toHaveLength(1);
  await until(async () => expect(texts(await shown(store))).toEqual(['Where?', 'To Porto.']));
  await other.chat.sendMessage({ text: 'Where else?', messageId: id });
  await page.chat.regenerate();
  expect(texts(page.chat.messages)).toEqual(['Where?', 'To Porto.']);
  const { nodes } = await store.getGraph('c');
  expect(nodes.map(({ content }) => content)).toEqual([
    ...['Where to?', 'To Lisbon.', 'Where?', 'To Porto.', 'Where else?', 'To Faro.'],
  ]);
});

async function shown(store: Awaited<ReturnType<typeof openRoute>>['store']): Promise<UIMessage[]> {
  return (await store.getMessages('c')).map(({ data }) => data as UIMessage);
}
