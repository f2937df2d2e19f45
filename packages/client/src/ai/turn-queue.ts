/** Runs the turns of a chat, one after the other: each saves a message and starts an answer, which the store follows. */
import type { ChatRequestOptions, UIMessage } from 'ai';
import { asParleyError, ClosedError, codeOf, type ParleyError } from '@parley/transport/errors';
import { retry } from '@parley/transport/retry';
import type { Parley } from '../connection/create-parley.js';
import type { Outbox } from '../store/outbox.js';
import type { ThreadStore } from '../thread-store.js';
import { ChatWriter } from './chat-writer.js';
import { KeptTurns } from './kept-turns.js';
import type { ParleyChatOptions } from './parley-chat-options.js';
import { SendConflicts } from './send-conflicts.js';
import { followTurn, sentOf, type Turn } from './turn.js';

/** The chat whose turns run. */
export interface TurnChat<Message extends UIMessage> {
  options(): ParleyChatOptions<Message>;
  /** The shown messages. */
  messages(): Message[];
  /** Called when a turn waits: it replaces an earlier error. */
  added(): void;
  failed(turn: Turn<Message>, reason: unknown): void;
  stop(answerId: string): void;
  changed(): void;
}

/** Where a message is sent, and the options of its request. */
interface Sending extends ChatRequestOptions {
  parentId: string | null;
  isFork: boolean;
  isUnread?: boolean;
}

const SETTLED = { ok: true, value: [] } as const;

export class TurnQueue<Message extends UIMessage> {
  readonly writer: ChatWriter<Message>;
  readonly conflicts: SendConflicts<Message>;
  readonly kept: KeptTurns<Message>;
  /** The turn that runs, or the last one. */
  current: Turn<Message> | undefined;
  /** Turns that were stopped before their messages were sent, by the id of the message. */
  readonly #dropped = new Map<string, Turn<Message>>();
  /** Turns that have not begun. */
  readonly #waiting = new Set<Turn<Message>>();
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;
  #restored: Promise<void> | undefined;

  constructor(
    private readonly parley: Parley,
    private readonly store: ThreadStore,
    outbox: Outbox | undefined,
    private readonly chat: TurnChat<Message>,
  ) {
    this.writer = new ChatWriter(parley, chat.options);
    this.kept = new KeptTurns(store, outbox, () => chat.options().branch);
    this.conflicts = new SendConflicts(
      store,
      (turns, choice) => this.#resend(turns, choice),
      () => chat.changed(),
    );
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The last message of the shown thread, read or not. */
  get endId(): string | null {
    const { thread, leafId, hasNewer } = this.store.getState();
    return (hasNewer ? undefined : thread.at(-1)?.id) ?? leafId;
  }

  /** The messages up to this one; a placeholder with its id for an unread message. */
  threadTo(messageId: string | null): Message[] {
    if (messageId === null) return [];
    const messages = this.chat.messages();
    const end = messages.findIndex(({ id }) => id === messageId);
    if (end >= 0) return messages.slice(0, end + 1);
    return [{ id: messageId, role: 'user', parts: [] as UIMessage['parts'] } as Message];
  }

  /** Sends the messages that an earlier page has left in the outbox. Settles once they are shown. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  async #restore(): Promise<void> {
    for (const { content, parentId, isLoose: isFork } of await this.kept.list()) {
      void this.send((content as { data: Message }).data, { parentId, isFork });
    }
  }

  /**
   * Shows a message, and requests its answer.
   * @returns the error of a failed request
   */
  send(sent: Message, sending: Sending): Promise<ParleyError | undefined> {
    const turn = { ...sending, trigger: 'submit-message' as const, messageId: undefined };
    return this.request({ ...turn, ...this.#after(sending.parentId, sent) });
  }

  /** @returns the error of a failed request */
  request(given: Omit<Turn<Message>, 'aborting'>): Promise<ParleyError | undefined> {
    const turn: Turn<Message> = { ...given, aborting: new AbortController() };
    this.kept.keep(turn);
    this.#waiting.add(turn);
    this.#length++;
    this.chat.added();
    const ended = this.#last.then(() => this.#run(turn));
    this.#last = ended;
    return ended;
  }

  /** Sends the messages of a conflict again, as the user has chosen. */
  async #resend(turns: readonly Turn<Message>[], choice: 'append' | 'fork'): Promise<ParleyError | undefined> {
    let parentId = choice === 'append' ? this.endId : (turns[0]?.parentId ?? null);
    const ended = turns.map((turn, index) => {
      const sent = sentOf(turn);
      const isFork = choice === 'fork' && index === 0;
      const sending = this.request({ ...turn, isFork, ...this.#after(parentId, sent) });
      parentId = sent.id;
      return sending;
    });
    return (await Promise.all(ended)).find((error) => error !== undefined);
  }

  #after(parentId: string | null, sent: Message) {
    const expected = this.store.expect({ data: sent }, { id: sent.id, parentId, name: sent.role });
    return { parentId, messages: [...this.threadTo(parentId), sent], expected };
  }

  /** Moves a message that was sent before its predecessor was known, answered or dropped. */
  #place(turn: Turn<Message>, answerId: string | undefined): void {
    const { parentId, isFork, isUnread } = this.#dropped.get(turn.parentId ?? '') ?? turn;
    const { drafts, childrenMap, branch } = this.store.getState();
    const answers = [...drafts, ...(childrenMap.get(parentId ?? null) ?? [])];
    const answer =
      isFork === false ? answers.find((one) => one.id === answerId && one.parentId === parentId) : undefined;
    const after = answer?.id ?? (isUnread === true ? (branch?.headId ?? null) : parentId);
    if (after === undefined || after === turn.parentId) return;
    turn.expected?.withdraw();
    Object.assign(turn, { isFork, isUnread: false }, this.#after(after, sentOf(turn)));
    this.kept.keep(turn);
  }

  async #run(turn: Turn<Message>): Promise<ParleyError | undefined> {
    const { store, chat } = this;
    const { signal } = turn.aborting;
    let messages: Message[] | undefined;
    const isTransient = (reason: unknown) => {
      const isRepeated = this.kept.isRepeated(turn, reason);
      if (isRepeated) messages = undefined;
      return isRepeated;
    };
    try {
      // A message before it is in a conflict.
      if (!this.#waiting.delete(turn)) return undefined;
      const { answerId } = this.current ?? {};
      this.current = turn;
      if (turn.expected !== undefined && this.kept.isEnabled) await this.kept.opened(signal);
      signal.throwIfAborted();
      this.#place(turn, answerId);
      const {
        aborting: _,
        expected,
        settle: _settle,
        answerId: _id,
        parentId: after,
        isFork,
        isUnread: _u,
        ...options
      } = turn;
      const { answer, body: fields, branch: pane, files, onUploadProgress: onProgress } = chat.options();
      const { branch } = store.getState();
      // The branch may have been renamed.
      const isNamed = pane != null || branch?.isActive === false;
      const name = isNamed ? { branch: branch?.name ?? pane } : {};
      const place = isFork === false ? { ...name, onConflict: 'REJECT' as const } : undefined;
      const body = { ...fields, ...name, ...options.body };
      // A request to `api` is not aborted: the answer is stopped once its id is known.
      const abortSignal = answer === undefined ? undefined : signal;
      // The thread may have been read since.
      const isRead = expected && chat.messages().some(({ id }) => id === after);
      const given = isRead ? [...this.threadTo(after as string), sentOf(turn)] : turn.messages;
      const send = async () => {
        signal.throwIfAborted();
        if (store.getState().status === 'closed') throw new ClosedError();
        messages = (await files?.storeFiles(given, { isSaved: !expected, signal, onProgress })) ?? given;
        const request = { ...options, messages, body, chatId: store.chatId, abortSignal };
        return this.writer.choose().send(request, place);
      };
      const stream = await retry(send, this.parley.retryDelay, signal, isTransient);
      expected?.confirm();
      turn.settle?.(SETTLED);
      await followTurn(store, turn, stream, (id) => chat.stop(id));
      return undefined;
    } catch (reason) {
      if (signal.aborted) {
        turn.settle?.(SETTLED);
        // Without messages, an upload was aborted, and nothing was sent.
        if (messages === undefined) this.#drop(turn);
        return undefined;
      }
      if (turn.isFork === false && codeOf(reason) === 'HEAD_CONFLICT') {
        await this.conflicts.open(turn, reason, chat.options().onConflict ?? 'ask', this.#waiting);
        return undefined;
      }
      const error = store.getState().status === 'closed' ? new ClosedError() : asParleyError(reason);
      turn.settle?.({ ok: false, error });
      chat.failed(turn, reason);
      return error;
    } finally {
      this.#length--;
      chat.changed();
    }
  }

  #drop(turn: Turn<Message>): void {
    if (turn.expected === undefined) return;
    turn.expected.withdraw();
    this.#dropped.set(sentOf(turn).id, turn);
  }
}
