/** A page with useChat of the AI SDK, without React; the test's project sets the SDK version. */
import { createParley, operation, type Parley } from '@parley/client';
import { ParleyChatTransport } from '@parley/client/ai';
import * as ai from 'ai';
import type { ChatInit, UIMessage, UIMessageChunk } from 'ai';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openPage as openChat } from '../../../packages/context/test/sdk-page.js';
import { PATIENCE_MS } from '../../support/patience.js';
import type { ListeningServer } from '../../support/server/listening-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';

export const until = (check: () => void | Promise<void>) => vi.waitFor(check, PATIENCE_MS);

/** A model whose chunks the test chooses. */
export class Model {
  /** The messages of each request. */
  readonly asked: UIMessage[][] = [];
  /** Thrown by the next request. */
  refusal: Error | undefined;
  #controller: ReadableStreamDefaultController<UIMessageChunk> | undefined;
  #hasText = false;

  sendMessages = async ({ messages, abortSignal }: { messages: UIMessage[]; abortSignal: AbortSignal | undefined }) => {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal !== undefined) throw refusal;
    this.#hasText = false;
    const stream = new ReadableStream<UIMessageChunk>({
      start: (controller) => void (this.#controller = controller),
    });
    this.send({ type: 'start' }, { type: 'start-step' });
    abortSignal?.addEventListener('abort', () => this.fail(new DOMException('stopped', 'AbortError')));
    this.asked.push(structuredClone(messages));
    return Promise.resolve(stream);
  };

  /** Waits for a request. */
  async requests(count: number): Promise<void> {
    await until(() => {
      if (this.asked.length < count) throw new Error(`${this.asked.length} of ${count} requests`);
    });
  }

  send(...chunks: UIMessageChunk[]): void {
    for (const chunk of chunks) this.#controller?.enqueue(chunk);
  }

  words(delta: string): void {
    if (!this.#hasText) this.send({ type: 'text-start', id: '0' });
    this.#hasText = true;
    this.send({ type: 'text-delta', id: '0', delta });
  }

  callTool(toolCallId: string, toolName = 'place'): void {
    this.send({ type: 'tool-input-available', toolCallId, toolName, input: { of: 'user' } });
  }

  end(): void {
    if (this.#hasText) this.send({ type: 'text-end', id: '0' });
    this.send({ type: 'finish-step' }, { type: 'finish' });
    this.#controller?.close();
  }

  fail(error: Error): void {
    this.#controller?.error(error);
  }
}

export interface Page {
  parley: Parley;
  model: Model;
  transport: ParleyChatTransport;
  chat: ai.AbstractChat<UIMessage>;
  errors: Error[];
}

/** Opens the chat `c`. */
export function openPage(
  { url }: Pick<ListeningServer, 'url'>,
  { leafId, ...init }: ChatInit<UIMessage> & { leafId?: () => string | null } = {},
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Page {
  const parley = createParley({ url, webSocket: WebSocket, retryDelay: () => 20, fetch });
  onTestFinished(() => parley.close());
  const model = new Model();
  const transport = new ParleyChatTransport({ parley, answer: model, ...(leafId && { leafId }) });
  const errors: Error[] = [];
  const chat = openChat(ai, { id: 'c', api: '', transport, onError: (error) => errors.push(error), ...init });
  return { parley, model, transport, chat, errors };
}

/** Sends a message, and streams its answer. */
export async function send({ chat, model }: Page, question: string, answer: string): Promise<void> {
  const count = model.asked.length;
  const sent = chat.sendMessage({ text: question });
  await model.requests(count + 1);
  model.words(answer);
  model.end();
  await sent;
}

export const textOf = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
export const texts = (messages: readonly UIMessage[]) => messages.map(textOf);

/** The thread of the active branch, as it is saved. */
export async function savedThread(server: ListeningServer): Promise<UIMessage[]> {
  const { data } = await server.ask('{ chat(id: "c") { activeBranch { chain { id data } } } }');
  const { chain } = (data as { chat: { activeBranch: { chain: { id: string; data: UIMessage }[] } } }).chat
    .activeBranch;
  return chain.map((message) => ({ ...message.data, id: message.id }));
}

/** The ids of all messages, and those of the drafts. */
export async function stored(server: ListeningServer): Promise<{ messages: number; drafts: string[] }> {
  const { data } = await server.ask(
    '{ chat(id: "c") { messages(first: 100) { totalCount } drafts { edges { node { id } } } } }',
  );
  const { chat } = data as {
    chat: { messages: { totalCount: number }; drafts: { edges: { node: { id: string } }[] } };
  };
  return { messages: chat.messages.totalCount, drafts: chat.drafts.edges.map(({ node }) => node.id) };
}

/** Closes a page while its model answers, and lets the idle timeout of the draft elapse. */
export async function closeWhileAnswering({ url, databaseUrl }: ListeningServer, words: string): Promise<UIMessage[]> {
  const page = openPage({ url });
  void page.chat.sendMessage({ text: 'Where to?' });
  await page.model.requests(1);
  page.model.words(words);
  await drafted(page, words);
  page.parley.close();
  await abandonDrafts(databaseUrl);
  return page.chat.messages;
}

/** Waits until the server has the text of a draft. */
export async function drafted({ parley }: Page, text: string): Promise<void> {
  const query = operation<{ chat: { drafts: { edges: { node: { text: string } }[] } } | null }, { id: string }>(
    'query ($id: ID!) { chat(id: $id) { drafts { edges { node { text } } } } }',
  );
  await until(async () => {
    const { chat } = await parley.run(query, { id: 'c' });
    if (chat?.drafts.edges.some(({ node }) => node.text === text) !== true)
      throw new Error(`No draft has the text "${text}"`);
  });
}

export async function abandonDrafts(databaseUrl: string): Promise<void> {
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
}
