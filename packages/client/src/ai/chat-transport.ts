/** `@parley/client/ai`: a ChatTransport for useChat of the AI SDK, 5 to 7, that keeps the messages and answers in a chat. */
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { readDraft } from '../drafts/read-draft.js';
import type { WrittenFragment } from '../generated/operations.js';
import { AnswerRoute, type AnswerRouteOptions } from './answer-route.js';
import { chunkReader } from './assemble-message.js';
import { PageAnswers, type PageAnswersOptions } from './page-answers.js';
import { toSdk, type Chunk } from './ui-message.js';

export type { AnswerRouteOptions } from './answer-route.js';
export type { PageAnswersOptions } from './page-answers.js';

/**
 * With `api`, a server process writes the answers, and closing the page does not end them. With `answer`, the page
 * writes them: closing it leaves an incomplete answer.
 */
export type ParleyChatTransportOptions<Message extends UIMessage> = {
  /**
   * Returns the id of the last message of the shown thread; null for an empty thread.
   * @default the answer to the last `sendMessages`; before it, the head of the active branch
   */
  leafId?: () => string | null;
} & ((AnswerRouteOptions & { parley?: Parley; answer?: never }) | (PageAnswersOptions<Message> & { api?: never }));

export class ParleyChatTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  /** The stream of `reconnectToStream` begins with the first chunk of the answer. */
  readonly resumeStreamIsReplay = true;
  readonly #answers: AnswerRoute<Message> | PageAnswers<Message>;
  /** The newest answer of each chat that this transport requested. */
  readonly #leaves = new Map<string, string>();

  constructor(private readonly options: ParleyChatTransportOptions<Message>) {
    this.#answers = options.answer === undefined ? new AnswerRoute(options) : new PageAnswers(options, replayDraft);
  }

  /**
   * Saves the user's message after the one before it, and requests an answer. An unfinished answer before it ends as
   * incomplete. With an assistant's message at the end, stores its tool outputs and approvals, and continues the same
   * answer.
   * @throws RefusedError, UnreachableError or RequestError when the message could not be saved: a retry saves it once
   */
  sendMessages: ChatTransport<Message>['sendMessages'] = async (options) => {
    const stream = await this.#answers.send(options);
    const track = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => {
        if (chunk.type === 'start' && chunk.messageId !== undefined) this.#leaves.set(options.chatId, chunk.messageId);
        controller.enqueue(chunk);
      },
    });
    return stream.pipeThrough(track);
  };

  /**
   * @returns all chunks of the newest answer that is being written after the shown message; null when there is none.
   * The stream of an answer without a writer ends, and the answer is saved as incomplete.
   */
  reconnectToStream: ChatTransport<Message>['reconnectToStream'] = (options) =>
    this.#answers.reconnect(options, this.#leafOf(options.chatId));

  /** Stops the answers after the shown message, in all tabs and servers. `useChat().stop` only stops reading. */
  stop = (chatId: string): Promise<void> => this.#answers.stop(chatId, this.#leafOf(chatId));

  #leafOf(chatId: string): string | null | undefined {
    const { leafId } = this.options;
    return leafId === undefined ? this.#leaves.get(chatId) : leafId();
  }
}

/** All chunks of a draft as it grows, until the draft or its request ends. */
function replayDraft(
  parley: Parley,
  chatId: string,
  { id, length }: Pick<WrittenFragment, 'id' | 'length'>,
): ReadableStream<UIMessageChunk> {
  const leaving = new AbortController();
  const convert = chunkReader(id);
  let last: unknown;
  let read = 0;
  return new ReadableStream({
    async start(controller) {
      const put = (chunk: Chunk) => controller.enqueue(toSdk(chunk));
      const next = (chunks: readonly unknown[]) => {
        read += chunks.length;
        last = chunks.at(-1);
        chunks.flatMap(convert).forEach(put);
        const { type } = last as Partial<Chunk>;
        return read >= length && (type === 'finish' || type === 'abort');
      };
      const { signal } = leaving;
      if ((await readDraft(parley, { chatId, id, next, signal })) === 'aborted') return;
      // A writer of strings sends no chunk that ends its text part.
      if (typeof last === 'string') for (const type of ['text-end', 'finish']) put({ type, id: 'text' });
      controller.close();
    },
    cancel: () => leaving.abort(),
  });
}
