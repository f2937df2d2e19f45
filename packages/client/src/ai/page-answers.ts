/** Answers that the page writes: it saves the user's message, and writes the chunks of `answer` into a draft. */
import { readUIMessageStream, type ChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { codeOf } from '@parley/transport/errors';
import type { Parley } from '../connection/create-parley.js';
import { DraftRequests } from '../drafts/draft-requests.js';
import type { WrittenFragment } from '../generated/operations.js';
import { writeAnswer, type Turn } from './answer-writer.js';
import { assembleMessage, type ReadMessages } from './assemble-message.js';
import { OpenDrafts } from './open-drafts.js';
import { SavedQuestions } from './saved-questions.js';
import { givenByPage, streamOf } from './ui-message.js';
import type { Place } from './turn.js';

type SendOptions<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0];

type Replay = (parley: Parley, chatId: string, draft: WrittenFragment) => ReadableStream<UIMessageChunk> | null;

export interface PageAnswersOptions<Message extends UIMessage> {
  parley: Parley;
  /** Streams the answers, for example `new DefaultChatTransport()`. */
  answer: Pick<ChatTransport<Message>, 'sendMessages'>;
  /** @default the function of the package `ai` */
  readUIMessageStream?: ReadMessages;
}

export class PageAnswers<Message extends UIMessage> {
  readonly #drafts: OpenDrafts<Message>;
  readonly #read: ReadMessages;
  readonly #replay: Replay;
  readonly #questions: SavedQuestions<Message>;
  /** Answers of this page that wait for its outputs or approvals, by id. */
  readonly #turns = new Map<string, Turn<Message>>();

  /** @param replay returns the chunks of an answer that is being written; useParleyChat reads them from its store */
  constructor(
    private readonly options: PageAnswersOptions<Message>,
    replay: Replay = () => null,
  ) {
    this.#replay = replay;
    this.#read = options.readUIMessageStream ?? (readUIMessageStream as ReadMessages);
    this.#drafts = new OpenDrafts(options.parley, this.#read);
    this.#questions = new SavedQuestions(options.parley, this.#drafts);
  }

  async send(options: SendOptions<Message>, place?: Place): ReturnType<ChatTransport<Message>['sendMessages']> {
    const { chatId, messages, trigger } = options;
    const last = messages.at(-1);
    const answer = trigger === 'submit-message' && last?.role === 'assistant' ? last : undefined;
    const turn = answer && (await this.#continue(chatId, answer));
    const writer = turn?.writer ?? (await this.#start(options, place));
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    for (const signal of [options.abortSignal, writer.signal]) {
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
    }
    try {
      const source = await this.options.answer.sendMessages({ ...options, abortSignal: stopping.signal });
      const waiting = (open: Turn<Message>) => void this.#turns.set(writer.id, open);
      const from = turn?.message ?? answer;
      return writeAnswer({ read: this.#read, source, writer, from, signal: stopping.signal, waiting });
    } catch (error) {
      // A repeated request of the page continues the turn.
      if (turn === undefined) await writer.discard().catch(() => {});
      else this.#turns.set(writer.id, turn);
      throw error;
    }
  }

  async reconnect(
    { chatId }: { chatId: string },
    leafId: string | null | undefined,
  ): ReturnType<ChatTransport<Message>['reconnectToStream']> {
    const draft = (await this.#drafts.below(chatId, leafId)).at(-1);
    if (draft === undefined) return null;
    if (draft.state !== 'ABANDONED') return this.#replay(this.options.parley, chatId, draft);
    const stored = await this.#drafts.load(chatId, draft);
    if (stored.isWaiting) return streamOf(stored.chunks);
    const isSaved = await this.#drafts.save(chatId, draft.id, stored);
    return isSaved ? streamOf([...stored.chunks, { type: 'abort' }]) : null;
  }

  async stop(chatId: string, leafId: string | null | undefined): Promise<void> {
    for (const draft of await this.#drafts.below(chatId, leafId)) {
      if (!(await this.#endUnwritten(chatId, draft))) await this.#drafts.stop(chatId, draft.id);
    }
  }

  /** Stores the page's outputs and approvals in the answer that waits for them; undefined without such an answer. */
  async #continue(chatId: string, answer: Message): Promise<Turn<Message> | undefined> {
    const { id } = answer;
    const turn = this.#turns.get(id) ?? (await this.#loadTurn(chatId, id));
    if (turn === undefined) return undefined;
    this.#turns.delete(id);
    const given = givenByPage(turn.message, answer);
    turn.writer.append(...given);
    const { message } = await assembleMessage(this.#read, id, given, turn.message);
    return { writer: turn.writer, message };
  }

  async #loadTurn(chatId: string, id: string): Promise<Turn<Message> | undefined> {
    const draft = await this.#drafts.find(chatId, id);
    if (draft === undefined) return undefined;
    const { message, length, hasEnded } = await this.#drafts.load(chatId, draft);
    return hasEnded ? undefined : { writer: new DraftRequests(this.options.parley, chatId, id, { length }), message };
  }

  /** Starts an answer to the last question, and saves the question if necessary. */
  async #start({ chatId, messages, messageId, trigger }: SendOptions<Message>, place?: Place): Promise<DraftRequests> {
    const { parley } = this.options;
    const index = messages.findLastIndex(({ role }) => role !== 'assistant');
    const question = messages[index];
    if (question === undefined) return DraftRequests.start(parley, { chatId, expectedHead: { empty: true } });
    const isNew = trigger === 'submit-message' && index === messages.length - 1;
    const isEdit = isNew && messageId !== undefined;
    const ask = () => this.#questions.ask(chatId, messages.slice(0, index), question, isEdit, place);
    if (isNew) return ask();
    // Another answer follows the message before it, which may be an answer, too.
    const parent = trigger === 'regenerate-message' ? (messages.at(-1) ?? question) : question;
    const parentId = this.#questions.idOf(parent);
    for (const draft of await this.#drafts.below(chatId, parentId)) await this.#endUnwritten(chatId, draft);
    try {
      return await DraftRequests.start(parley, { chatId, at: { message: parentId } });
    } catch (reason) {
      // The request that saves the question has failed before; this is a retry.
      if (codeOf(reason) !== 'NOT_FOUND') throw reason;
      return ask();
    }
  }

  /**
   * Ends an answer without a writer.
   * @returns whether it was one
   */
  async #endUnwritten(chatId: string, draft: WrittenFragment): Promise<boolean> {
    const isTurn = this.#turns.delete(draft.id);
    if (!isTurn && draft.state !== 'ABANDONED') return false;
    await this.#drafts.end(chatId, draft);
    return true;
  }
}
