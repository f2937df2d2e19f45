/** A page of a chat application: shows a chat with a ThreadStore, and has its questions answered by processes. */
import { createParley, ThreadStore, type Message, type Parley, type ThreadState } from '@parley/client';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { eventsOf } from '../../../packages/context/test/chat-pages.js';
import type { AnswerProcess } from './answer-process.js';
import type { AnswerRequest, ExpectedAnswers, Question } from './expected-answers.js';

export interface Application {
  /** The GraphQL URL of Parley. */
  url: string;
  processes: readonly AnswerProcess[];
}

/** Maximum of open drafts in a chat. */
const MAX_DRAFTS = 8;

export class AnswerPage {
  readonly #requests = new AbortController();
  readonly #parley: Parley;
  readonly store: ThreadStore;

  constructor(
    private readonly application: Application,
    readonly chatId: string,
    private readonly expected: ExpectedAnswers,
  ) {
    this.#parley = createParley({ url: application.url, webSocket: WebSocket, retryDelay: () => 20 });
    this.store = new ThreadStore(this.#parley, chatId);
    this.store.subscribe(() => this.#look(this.store.getState()));
    onTestFinished(() => this.close());
  }

  close(): void {
    this.#requests.abort();
    this.store.close();
    this.#parley.close();
  }

  /** Sends a question until a process has accepted it. */
  async ask(question: Question, n: number, { isTwice = false } = {}): Promise<void> {
    const { thread } = this.store.getState();
    const previous = thread.at(-1);
    const text = { type: 'text', text: question.text };
    const message = { id: crypto.randomUUID(), role: 'user', parts: [text] };
    const body = { messages: [...(previous === undefined ? [] : [uiMessage(previous)]), message] };
    // Read before the answer ends.
    const done = this.expected.interrupt(previous?.status === undefined ? undefined : this.#questionOf(previous));
    const request = this.#request(question);
    const send = async (first: number) => {
      for (let attempt = first; ; attempt++) if (await this.#post(request, attempt, body)) return;
    };
    await Promise.all([send(n), ...(isTwice ? [send(n + 1)] : [])]);
    done();
  }

  /** Requests another answer. @returns whether a process has accepted it */
  async regenerate(question: Question, message: Message, n: number): Promise<boolean> {
    const request = this.#request(question);
    const body = { trigger: 'regenerate-message', messages: [uiMessage(message)] };
    return this.#post(request, n, body);
  }

  /** Stops the answers to the shown question. */
  async stop(): Promise<void> {
    const { thread } = this.store.getState();
    const shown = thread.findLast(({ name }) => name === 'user');
    const done = this.expected.interrupt(this.expected.find(shown!.text));
    await this.store.stop();
    done();
  }

  /** Reads the newest answer to a question from its beginning to its end. */
  async resume(leafId: string, n: number): Promise<void> {
    const response = await this.#fetch(n, (api) => `${api}?chatId=${this.chatId}&leafId=${leafId}`);
    if (response?.status === 200) await this.#read(response);
    else if (response !== null && response.status !== 204) this.#refused(response, await response.text());
  }

  #look({ thread, drafts, status }: ThreadState): void {
    const { failures } = this.expected;
    for (const { id, message } of drafts) this.expected.show(id, 'stored', message.text);
    if (status === 'closed') return;
    thread.forEach(({ parentId }, n) => {
      if (n > 0 && parentId !== thread[n - 1]!.id) failures.push(`a thread has a gap after ${thread[n - 1]!.text}`);
    });
  }

  #questionOf({ parentId }: Message): Question | undefined {
    return this.expected.find(this.store.getState().thread.find(({ id }) => id === parentId)?.text ?? '');
  }

  #request(question: Question): AnswerRequest {
    const request = { question, sentAt: Date.now(), processes: new Set<AnswerProcess>() };
    question.requests.push(request);
    return request;
  }

  /** @returns whether a process accepted the request; the page keeps reading its response */
  async #post(request: AnswerRequest, n: number, body: object): Promise<boolean> {
    const { chatId, expected } = this;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: chatId, ...body }),
    };
    const response = await this.#fetch(n, (api) => api, init, request);
    if (response === null) return false;
    if (!response.ok) {
      if (response.status !== 429) this.#refused(response, await response.text());
      // The drafts of killed processes count until their idle timeout.
      await this.store.when(({ drafts }) => drafts.length < MAX_DRAFTS);
      return false;
    }
    const id = response.headers.get('x-parley-message-id');
    if (id !== null) expected.accepted(request.question, decodeURIComponent(id));
    void this.#read(response, request);
    return true;
  }

  /** @returns null when the process was killed */
  async #fetch(
    n: number,
    address: (api: string) => string,
    init: RequestInit = {},
    request?: AnswerRequest,
  ): Promise<Response | null> {
    const { processes } = this.application;
    const process = processes[n % processes.length]!;
    const api = await process.api;
    request?.processes.add(process);
    return fetch(address(api), init).catch(() => null);
  }

  #refused({ status }: Response, text: string): void {
    this.expected.failures.push(`a request was refused: ${status} ${text}`);
  }

  /** Shows an answer while it streams, until the page is closed or the process is killed. */
  async #read(response: Response, request?: AnswerRequest): Promise<void> {
    const { signal } = this.#requests;
    let [answerId, text] = ['', ''];
    try {
      const body = response.body!.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
      for await (const { type, messageId, delta, errorText } of eventsOf({ body } as Response)) {
        if (type === 'start' && answerId === '') {
          answerId = String(messageId);
          if (request !== undefined) this.expected.started(request, answerId);
        }
        if (type === 'error' && request !== undefined) request.error = String(errorText);
        if (type === 'text-delta') this.expected.show(answerId, 'streamed', (text += String(delta)));
      }
    } catch {
      // The page was closed, or the process was killed.
    }
  }
}

const uiMessage = ({ id, name, text }: Message) => ({ id, role: name, parts: [{ type: 'text', text }] });
