/**
 * Calls the answer route of an application, such as createAnswerHandler of @parley/context: its process writes the
 * answer.
 */
import { DefaultChatTransport, type ChatTransport, type HttpChatTransportInitOptions, type UIMessage } from 'ai';
import { RequestError, UnauthorizedError, unreachable, UnreachableError } from '@parley/transport/errors';
import { QuestionIds } from './question-ids.js';
import type { Place } from './turn.js';

type SendOptions<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0];

/** A higher status is that of a proxy, or of a route without a server: the same request can be repeated. */
const MAX_STATUS_OF_ROUTE = 501;

export interface AnswerRouteOptions {
  /** The address of the route, such as `/api/chat`. */
  api: string;
  /** Sent with each request. */
  headers?: HttpChatTransportInitOptions<UIMessage>['headers'];
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
}

export class AnswerRoute<Message extends UIMessage> {
  readonly #ids = new QuestionIds();
  /** Messages whose requests have no confirming response yet. */
  readonly #unsaved = new Set<string>();

  constructor(private readonly options: AnswerRouteOptions) {}

  /** @param place by default a new branch if there are newer messages */
  async send(options: SendOptions<Message>, place?: Place): ReturnType<ChatTransport<Message>['sendMessages']> {
    const last = options.messages.at(-1);
    const question = last?.role === 'assistant' ? undefined : last;
    // A page also sends `regenerate` to retry a message that the route has not saved.
    const isRetry = question !== undefined && this.#unsaved.has(question.id);
    const trigger = isRetry ? 'submit-message' : options.trigger;
    if (question !== undefined && trigger === 'submit-message') {
      this.#ids.forRequest(question, options.messageId !== undefined);
      this.#unsaved.add(question.id);
    }
    const transport = this.#transport(({ headers }) => {
      const savedId = headers.get('x-parley-message-id');
      if (question === undefined || savedId === null) return;
      this.#ids.savedAs(question.id, decodeURIComponent(savedId));
      this.#unsaved.delete(question.id);
    });
    return transport.sendMessages({ ...options, trigger, body: { ...options.body, ...place } });
  }

  reconnect(
    options: Parameters<ChatTransport<Message>['reconnectToStream']>[0],
    leafId: string | null | undefined,
  ): ReturnType<ChatTransport<Message>['reconnectToStream']> {
    return this.#transport(undefined, this.#addressOf(options.chatId, leafId)).reconnectToStream(options);
  }

  /** Requests the writers to stop. */
  async stop(chatId: string, leafId: string | null | undefined): Promise<void> {
    const { headers = {} } = this.options;
    const init = {
      method: 'DELETE',
      headers: new Headers(await (typeof headers === 'function' ? headers() : headers)),
    };
    await this.#fetch(this.#addressOf(chatId, leafId), init);
  }

  #addressOf(chatId: string, leafId: string | null | undefined): string {
    const { api } = this.options;
    const query = new URLSearchParams({ chatId });
    if (leafId != null) query.set('leafId', leafId);
    return `${api}${api.includes('?') ? '&' : '?'}${query.toString()}`;
  }

  #transport(answered?: (response: Response) => void, resumeApi?: string): DefaultChatTransport<Message> {
    const { api, headers = {} } = this.options;
    return new DefaultChatTransport<Message>({
      api,
      headers,
      fetch: async (url, init) => {
        const response = await this.#fetch(url, init);
        answered?.(response);
        return response;
      },
      // The route reads the history from the chat.
      prepareSendMessagesRequest: ({ id, messages, body, trigger, messageId }) => ({
        body: {
          ...body,
          id,
          trigger,
          messages: messages.slice(-2).map((message) => ({ ...message, id: this.#ids.of(message.id) })),
          ...(messageId !== undefined && { messageId: this.#ids.of(messageId) }),
        },
      }),
      prepareReconnectToStreamRequest: () => ({ api: resumeApi ?? api }),
    });
  }

  /**
   * @throws RequestError with the code and the message of the route, UnauthorizedError for status 401
   * @throws UnreachableError without a response, and for a status above 501
   */
  async #fetch(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const response = await (this.options.fetch ?? globalThis.fetch)(url, init).catch((cause: unknown) => {
      throw init?.signal?.aborted === true ? cause : unreachable(cause);
    });
    const { ok, status } = response;
    if (ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { error?: { code?: string; message?: string } };
    const { code = 'UNKNOWN', message = `The answer route returned status ${status}` } = error ?? {};
    if (status === 401) throw new UnauthorizedError(message);
    throw status > MAX_STATUS_OF_ROUTE ? new UnreachableError(message) : new RequestError(message, code);
  }
}
