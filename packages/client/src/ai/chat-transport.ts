/**
 * `@parley/client/ai`: a ChatTransport for the AI SDK's useChat (5 and 6). What is said and answered is saved in the tree
 * of the chat, other tabs see the answer as it grows, and a page that is loaded again goes on with it.
 */
import type { Parley } from '../connection/create-parley.js';
import { DraftWriter } from '../drafts/draft-writer.js';
import {
  CreateChat,
  DraftGrowth,
  ReadDrafts,
  SaveMessages,
  StopDraft,
  type SaveMessagesInput,
} from '../generated/operations.js';

/** What is read of a UIMessage. */
interface Said {
  id: string;
  role: string;
}
/** What is read of a UIMessageChunk. */
interface Chunk {
  type: string;
}

/** What the AI SDK gives a transport. */
export interface SendOptions<Message extends Said> {
  trigger: 'submit-message' | 'regenerate-message';
  chatId: string;
  messageId: string | undefined;
  messages: Message[];
  abortSignal: AbortSignal | undefined;
  headers?: Record<string, string> | Headers;
  body?: object;
  metadata?: unknown;
}

export interface ParleyChatTransportOptions<Message extends Said, Piece extends Chunk> {
  parley: Parley;
  /** Who answers: another transport, such as `new DefaultChatTransport()`, which asks the app's own server. */
  answer: { sendMessages(options: SendOptions<Message>): Promise<ReadableStream<Piece>> };
  /** That of `ai`: it makes the message that is saved out of what is streamed. */
  readUIMessageStream(options: { stream: ReadableStream<Piece> }): AsyncIterable<Message>;
}

export class ParleyChatTransport<Message extends Said, Piece extends Chunk> {
  /** What `reconnectToStream` answers begins with the beginning. */
  readonly resumeStreamIsReplay = true;
  /** The ids under which the server has what useChat calls otherwise: versions of what was edited. */
  readonly #ids = new Map<string, string>();

  constructor(private readonly options: ParleyChatTransportOptions<Message, Piece>) {}

  /**
   * Saves what was said, and has it answered beside the answers that are there.
   * @throws RefusedError and what else Parley.run throws, and what `answer` does
   */
  sendMessages = async (options: SendOptions<Message>): Promise<ReadableStream<Piece>> => {
    const { parley, answer } = this.options;
    const { chatId, messages, trigger } = options;
    const isSaid = trigger === 'submit-message' && messages.at(-1)?.role !== 'assistant';
    if (isSaid) await this.#save(chatId, messages);
    // Another step of an answer is another version of it.
    const question = messages.findLast(({ role }) => role !== 'assistant');
    const place = question === undefined ? { expectedHeadId: null } : { parentId: this.#idOf(question) };
    const writer = await DraftWriter.start(parley, { chatId, ...place });
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    for (const signal of [options.abortSignal, writer.signal]) {
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
    }
    try {
      const stream = await answer.sendMessages({ ...options, abortSignal: stopping.signal });
      return this.#write(stream, writer);
    } catch (error) {
      await writer.discard().catch(() => {});
      throw error;
    }
  };

  /** The answer that is being written, from its beginning; null when there is none. */
  reconnectToStream = async ({ chatId }: { chatId: string }): Promise<ReadableStream<Piece> | null> => {
    const { parley } = this.options;
    const { chat } = await parley.run(ReadDrafts, { chatId });
    const id = chat?.drafts.findLast(({ state }) => state !== 'ABANDONED')?.id;
    return id === undefined ? null : this.#read(chatId, id);
  };

  /** Asks whoever writes in a chat to stop, in whichever tab or server that is. */
  stop = async (chatId: string): Promise<void> => {
    const { parley } = this.options;
    const { chat } = await parley.run(ReadDrafts, { chatId });
    for (const { id } of chat?.drafts ?? []) await parley.run(StopDraft, { input: { chatId, id } });
  };

  #idOf({ id }: Said): string {
    return this.#ids.get(id) ?? id;
  }

  /** Saves the last message behind the one before it, on a branch of its own where that was answered before. */
  async #save(chatId: string, messages: readonly Message[]): Promise<void> {
    const { parley } = this.options;
    const [said, before] = [messages.at(-1), messages.at(-2)];
    if (said === undefined) return;
    const place =
      before === undefined ? { expectedHeadId: null, onConflict: 'FORK' as const } : { parentId: this.#idOf(before) };
    const input: SaveMessagesInput = {
      chatId,
      messages: [{ id: said.id, name: said.role, content: { data: said } }] as SaveMessagesInput['messages'],
      ...place,
    };
    const save = async () => {
      const { saveMessages } = await parley.run(SaveMessages, { input });
      const saved = saveMessages.messages[0];
      if (saved !== undefined) this.#ids.set(said.id, saved.id);
    };
    try {
      await save();
    } catch (reason) {
      // Whoever says the first thing in a chat makes it.
      if ((reason as { code?: string }).code !== 'NOT_FOUND' || before !== undefined) throw reason;
      await parley.run(CreateChat, { input: { id: chatId } });
      await save();
    }
  }

  /** Passes an answer on as it comes, and writes it down, whether anybody reads it or not. */
  #write(answer: ReadableStream<Piece>, writer: DraftWriter): ReadableStream<Piece> {
    let shown: ReadableStreamDefaultController<Piece> | undefined;
    let assembled: ReadableStreamDefaultController<Piece> | undefined;
    const output = new ReadableStream<Piece>({
      start: (controller) => void (shown = controller),
      cancel: () => void (shown = undefined),
    });
    const copy = new ReadableStream<Piece>({ start: (controller) => void (assembled = controller) });
    const message = lastOf(this.options.readUIMessageStream({ stream: copy }));
    const pass = (piece: Piece) => {
      writer.append(piece);
      shown?.enqueue(piece);
      assembled?.enqueue(piece);
    };
    void (async () => {
      let failure: unknown;
      let hasBegun = false;
      try {
        for (const reader = answer.getReader(); ;) {
          const { done, value } = await reader.read();
          if (done) break;
          // The message has the id of the draft, here and wherever it is seen.
          const start = { ...(value.type === 'start' && value), type: 'start', messageId: writer.id };
          if (!hasBegun) pass(start as unknown as Piece);
          hasBegun = true;
          if (value.type !== 'start') pass(value);
        }
      } catch (reason) {
        failure = reason;
      }
      assembled?.close();
      const data = await message.catch(() => undefined);
      try {
        if (data === undefined) await writer.discard();
        else await writer.finish({ data });
        if (failure === undefined) shown?.close();
      } catch (reason) {
        failure ??= reason;
      }
      // One that was stopped ends where it stands.
      if (failure !== undefined && writer.signal.aborted) shown?.close();
      else if (failure !== undefined) shown?.error(failure);
    })();
    return output;
  }

  #read(chatId: string, id: string): ReadableStream<Piece> {
    const { parley } = this.options;
    let stop = () => {};
    return new ReadableStream<Piece>({
      start(controller) {
        const put = (piece: unknown) => controller.enqueue(piece as Piece);
        let isText = false;
        const end = () => {
          stop();
          if (isText) for (const type of ['text-end', 'finish']) put({ type, id: 'text' });
          controller.close();
        };
        stop = parley.follow(
          DraftGrowth,
          { chatId, id },
          {
            next: ({ draft }) => {
              if (draft.__typename === 'DraftAbandoned') return end();
              for (const chunk of draft.__typename === 'DraftChunks' ? draft.chunks : []) {
                if (typeof chunk !== 'string') put(chunk);
                else {
                  // Of a writer that knows nothing of the AI SDK.
                  if (!isText) for (const type of ['start', 'text-start']) put({ type, id: 'text', messageId: id });
                  isText = true;
                  put({ type: 'text-delta', id: 'text', delta: chunk });
                }
              }
            },
            ended: end,
          },
        );
      },
      cancel: () => stop(),
    });
  }
}

async function lastOf<Message>(messages: AsyncIterable<Message>): Promise<Message | undefined> {
  let last: Message | undefined;
  for await (const message of messages) last = message;
  return last;
}
