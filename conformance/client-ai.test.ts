/** useChat of the AI SDK, 5 and 6, without React, on the transport of @parley/client. */
import { ParleyChatTransport } from '@parley/client/ai';
import { createParley, ThreadStore } from '@parley/client';
import * as ai6 from 'ai';
import type { ChatState, ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import * as ai5 from 'ai-v5';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startListening, type ListeningServer } from '../test/support/listening-server.js';

type Sdk = Pick<typeof ai6, 'AbstractChat' | 'readUIMessageStream'>;

describe.each<[string, Sdk]>([
  ['6', ai6],
  // Its types are others, of the same shape where they meet here.
  ['5', ai5 as unknown as Sdk],
])('version %s', (_version, { AbstractChat, readUIMessageStream }) => {
  /** What useChat keeps in React. */
  class Chat extends AbstractChat<UIMessage> {
    constructor(transport: ChatTransport<UIMessage>, messages: UIMessage[] = []) {
      const state: ChatState<UIMessage> = {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage: (message) => void (state.messages = [...state.messages, message]),
        popMessage: () => void (state.messages = state.messages.slice(0, -1)),
        replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
        snapshot: (thing) => structuredClone(thing),
      };
      super({ id: 'c', transport, state });
    }
  }

  /** A model that says what it is told to, word by word, when it is told to. */
  class Model {
    #controller: ReadableStreamDefaultController<UIMessageChunk> | undefined;
    asked: UIMessage[][] = [];

    sendMessages = async ({
      messages,
      abortSignal,
    }: {
      messages: UIMessage[];
      abortSignal: AbortSignal | undefined;
    }) => {
      this.asked.push(messages);
      const stream = new ReadableStream<UIMessageChunk>({
        start: (controller) => void (this.#controller = controller),
      });
      this.say({ type: 'start' }, { type: 'text-start', id: '0' });
      abortSignal?.addEventListener('abort', () => this.#controller?.error(new DOMException('stopped', 'AbortError')));
      return stream;
    };

    say(...chunks: UIMessageChunk[]): void {
      for (const chunk of chunks) this.#controller?.enqueue(chunk);
    }

    words(delta: string): void {
      this.say({ type: 'text-delta', id: '0', delta });
    }

    end(): void {
      this.say({ type: 'text-end', id: '0' }, { type: 'finish' });
      this.#controller?.close();
    }
  }

  function open(server: ListeningServer) {
    const parley = createParley({ url: server.url, webSocket: WebSocket });
    onTestFinished(() => parley.close());
    const model = new Model();
    const transport: ChatTransport<UIMessage> = new ParleyChatTransport<UIMessage, UIMessageChunk>({
      parley,
      answer: model,
      readUIMessageStream,
    });
    return { parley, model, transport };
  }

  const textOf = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const texts = (messages: readonly UIMessage[]) => messages.map(textOf);

  test('what is said and answered is a thread, and another answer stands beside the first', async () => {
    const server = await startListening();
    const { parley, model, transport } = open(server);
    const chat = new Chat(transport);
    const sent = chat.sendMessage({ text: 'Where to?' });
    await vi.waitFor(() => expect(model.asked).toHaveLength(1));
    model.words('To Lisbon.');
    model.end();
    await sent;
    expect(texts(chat.messages)).toEqual(['Where to?', 'To Lisbon.']);

    const store = new ThreadStore(parley, 'c');
    onTestFinished(() => store.close());
    await store.open();
    await store.when(({ thread }) => thread.length === 2 && thread.every(({ status }) => status === undefined));
    expect(store.getState().thread.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    expect(store.getState().thread.at(-1)).toMatchObject({ name: 'assistant', data: { role: 'assistant' } });

    const again = chat.regenerate();
    await vi.waitFor(() => expect(model.asked).toHaveLength(2));
    model.words('To Porto.');
    model.end();
    await again;
    await store.when(({ thread }) => thread.at(-1)?.text === 'To Porto.');
    const last = chat.messages.at(-1)!;
    await store.when(() => store.getMessageSiblingInfo(last.id)?.siblingCount === 2);

    // What is edited is another version of the question, and what follows goes behind that.
    const edited = chat.sendMessage({ text: 'Where to, in winter?', messageId: chat.messages[0]!.id });
    await vi.waitFor(() => expect(model.asked).toHaveLength(3));
    model.words('To Faro.');
    model.end();
    await edited;
    await store.when(({ thread }) => thread.map(({ text }) => text).join() === 'Where to, in winter?,To Faro.');
    expect(store.getMessageSiblingInfo(store.getState().thread[0]!.id)).toMatchObject({
      siblingIndex: 1,
      siblingCount: 2,
    });
  });

  test('another tab sees the answer grow, goes on with it when it is loaded again, and can stop it', async () => {
    const server = await startListening();
    const { model, transport } = open(server);
    const here = new Chat(transport);
    const sent = here.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(model.asked).toHaveLength(1));
    model.words('One, ');

    const there = open(server);
    const reloaded = new Chat(there.transport, here.messages.slice(0, 1));
    const resumed = reloaded.resumeStream();
    await vi.waitFor(() => expect(texts(reloaded.messages)).toEqual(['Count.', 'One, ']));
    model.words('two.');
    await vi.waitFor(() => expect(texts(reloaded.messages)).toEqual(['Count.', 'One, two.']));

    await (there.transport as ParleyChatTransport<UIMessage, UIMessageChunk>).stop('c');
    // Its writer hears of it as it writes on.
    model.words(' three.');
    await Promise.all([sent, resumed]);
    expect(reloaded.messages.at(-1)?.id).toBe(here.messages.at(-1)?.id);
    const { data } = await server.ask('{ chat(id: "c") { lastMessage { text } drafts { id } } }');
    expect(data).toEqual({ chat: { lastMessage: { text: 'One, two. three.' }, drafts: [] } });
    expect(await there.transport.reconnectToStream({ chatId: 'c' })).toBeNull();
  });
});
