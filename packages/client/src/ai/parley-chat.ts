/**
 * A chat with the functions of useChat. All messages come from the store. A turn saves a message and starts an
 * answer, which the store follows.
 */
import type { ChatRequestOptions, ChatStatus, UIMessage } from 'ai';
import { asParleyError, ClosedError, codeOf, isUnreachable } from '@parley/transport/errors';
import { retry } from '@parley/transport/retry';
import type { Parley } from '../connection/create-parley.js';
import { now } from '../message.js';
import type { Outbox } from '../store/outbox.js';
import { isSame } from '../store/same.js';
import type { ThreadStore } from '../thread-store.js';
import { ChatWriter } from './chat-writer.js';
import type { ChatSnapshot, ParleyChatOptions } from './parley-chat-options.js';
import { ToolOutputs, waitingCalls } from './tool-outputs.js';
import { SendConflicts, sentOf } from './send-conflicts.js';
import { followTurn, partsToSend, type Sent, type Turn } from './turn.js';
import { asError, isWaiting } from './ui-message.js';
import { UIMessages } from './ui-messages.js';

const SETTLED = { ok: true, value: [] } as const;

export class ParleyChat<Message extends UIMessage> {
  options: ParleyChatOptions<Message> = {};
  readonly #listeners = new Set<() => void>();
  readonly #shown = new UIMessages<Message>(() => this.#changed());
  readonly #outputs = new ToolOutputs();
  readonly #writer: ChatWriter<Message>;
  readonly #conflicts: SendConflicts<Message>;
  /** Abandoned, failed and saved answers, and tool calls, that were already handled. */
  readonly #attended = new Set<string>();
  /** The ids of answers that the page has shown while they were written. */
  readonly #written = new Set<string>();
  /** How many `data-*` chunks of each answer were reported. */
  readonly #reported = new Map<string, number>();
  #queue: Promise<void> = Promise.resolve();
  #turn: Turn<Message> | undefined;
  #waiting = 0;
  #failed: Turn<Message> | undefined;
  /** The id of the answer whose failure is `#error`. */
  #failedAnswer: string | undefined;
  #error: Error | undefined;
  /** The request options of the last tool output or approval, until it is sent. */
  #given: ChatRequestOptions | undefined;
  #unsubscribe: (() => void) | undefined;
  #restored: Promise<void> | undefined;
  #snapshot: ChatSnapshot<Message> | undefined;
  /** The messages of `setMessages`, in place of those of a thread. */
  #override: { thread: Message[]; messages: Message[] } | undefined;
  #initial: ChatSnapshot<Message> | undefined;

  constructor(
    private readonly parley: Parley,
    readonly store: ThreadStore,
    private readonly outbox: Outbox | undefined,
  ) {
    this.#writer = new ChatWriter(parley, () => this.options);
    this.#conflicts = new SendConflicts(
      store,
      (turns, choice) => this.#resend(turns, choice),
      () => this.#changed(),
    );
  }

  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    this.#unsubscribe ??= this.store.subscribe(() => this.#changed());
    this.#restored ??= this.#restore();
    this.#changed();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  };

  /** The same object until a change. */
  getSnapshot = (): ChatSnapshot<Message> => {
    const state = this.store.getState();
    const thread = this.#shown.list(state, this.#outputs.patch);
    const messages = this.#override?.thread === thread ? this.#override.messages : thread;
    const now = { messages, status: this.#status(), error: this.#error, conflicts: this.#conflicts.list };
    const before = this.#snapshot;
    return before !== undefined && isSame(before, now) ? before : (this.#snapshot = now);
  };

  /** The snapshot of the first render, on a server and in a page. */
  getInitialSnapshot = (): ChatSnapshot<Message> =>
    (this.#initial ??= {
      messages: this.store.getInitialState().thread.map((message) => this.#shown.of(message)),
      status: 'ready',
      error: undefined,
      conflicts: [],
    });

  /**
   * Sends a message at the end of the thread, or another version of `messageId`. Without a message, continues the
   * turn of the last answer with its tool outputs. Settles when the answer has begun or the request fails.
   * @throws Error for an empty message, or a `messageId` that is not shown
   */
  sendMessage = async (message?: Sent<Message>, options: ChatRequestOptions = {}): Promise<void> => {
    if (message == null) return this.#continue(options);
    const { store } = this;
    const parts = await partsToSend(message, this.options.files?.attach);
    if (parts.length === 0) throw new Error('The message is empty: give text, files or parts');
    await this.#isOpened();
    if (this.#failed !== undefined) await this.retry();
    const edited = message.messageId == null ? undefined : this.#find(message.messageId);
    const parentId = edited !== undefined ? edited.parentId : this.#endId;
    const { role = 'user', metadata, id: given } = message as Partial<Message>;
    const id = given === undefined || given === message.messageId ? crypto.randomUUID() : given;
    const sent = { id, role, parts, ...(metadata !== undefined && { metadata }) } as Message;
    // Without a branch, the message starts a new one.
    return this.#send(sent, { parentId, isFork: edited !== undefined || store.getState().branch === null, options });
  };

  /**
   * Requests another answer to the question of a message, by default the last one. The thread shows it from its first
   * content on.
   * @throws Error for a `messageId` that is not shown
   */
  regenerate = async ({ messageId, ...options }: { messageId?: string } & ChatRequestOptions = {}): Promise<void> => {
    const message = this.#find(messageId);
    const questionId = message.name === 'user' ? message.id : message.parentId;
    const messages = this.#threadTo(questionId);
    return this.#request({ ...options, trigger: 'regenerate-message', messageId: message.id, messages });
  };

  /** Repeats the failed request, of which nothing is saved twice, or requests another answer instead of a failed one. */
  retry = async (): Promise<void> => {
    const [turn, messageId] = [this.#failed, this.#failedAnswer];
    if (turn !== undefined) return this.#request(turn);
    if (messageId === undefined) return;
    // A failed answer without content is not saved: its question is the last message.
    const isSaved = this.store.getState().thread.some(({ id }) => id === messageId);
    return this.regenerate(isSaved ? { messageId } : {});
  };

  /**
   * Shows other messages in this page, until the thread changes: the chat keeps its messages. `rewind` and `switchToSibling` change the
   * thread in every tab.
   */
  setMessages = (given: Message[] | ((messages: Message[]) => Message[])): void => {
    const messages = typeof given === 'function' ? given(this.getSnapshot().messages) : given;
    this.#override = { thread: this.#shown.list(this.store.getState(), this.#outputs.patch), messages };
    this.#changed();
  };

  /** Stops the answers of the shown thread, in any tab or process. */
  stop = async (): Promise<void> => {
    this.#turn?.aborting.abort();
    await this.#stop();
    const answerId = this.#turn?.answerId;
    if (answerId !== undefined) await this.#stop(answerId);
  };

  /** Requests a server to end an answer that its writer has abandoned. The store follows other answers without this. */
  resumeStream = async (): Promise<void> => {
    const { chatId } = this.store;
    await (await this.#writer.choose().reconnect({ chatId }, this.store.getState().leafId))?.cancel();
  };

  /** Also removes a message that was not saved. */
  clearError = (): void => {
    this.#failed?.expected?.withdraw();
    this.#failed = this.#failedAnswer = undefined;
    this.#error = undefined;
    this.#changed();
  };

  addToolOutput = async ({
    toolCallId,
    state = 'output-available',
    output,
    errorText,
    options,
  }: {
    tool?: unknown;
    toolCallId: string;
    state?: 'output-available' | 'output-error';
    output?: unknown;
    errorText?: string;
    options?: ChatRequestOptions;
  }): Promise<void> => {
    this.#outputs.addOutput(toolCallId, errorText === undefined ? { state, output } : { state, errorText });
    await this.#give(options);
  };

  addToolApprovalResponse = async ({
    id,
    options,
    ...response
  }: {
    id: string;
    approved: boolean;
    reason?: string;
    options?: ChatRequestOptions;
  }): Promise<void> => {
    this.#outputs.addApproval(id, response);
    await this.#give(options);
  };

  async #give(options: ChatRequestOptions = {}): Promise<void> {
    this.#given = options;
    this.#changed();
    await this.#continueIfComplete();
  }

  async #continueIfComplete(): Promise<void> {
    const given = this.#given;
    const { messages, status } = this.getSnapshot();
    if (given === undefined || status !== 'ready') return;
    const isComplete = await this.options.sendAutomaticallyWhen?.({ messages });
    if (isComplete === true && this.#given === given) await this.#continue(given);
  }

  async #continue(options: ChatRequestOptions = {}): Promise<void> {
    this.#given = undefined;
    const { messages } = this.getSnapshot();
    const messageId = messages.at(-1)?.id;
    await this.#request({ ...options, trigger: 'submit-message', messageId, messages });
  }

  /** Shows a message, and requests its answer. */
  #send(
    sent: Message,
    { parentId, isFork, options }: { parentId: string | null; isFork: boolean; options: ChatRequestOptions },
  ): Promise<void> {
    const turn = { ...options, trigger: 'submit-message' as const, messageId: undefined, isFork };
    return this.#request({ ...turn, ...this.#after(parentId, sent) });
  }

  /** Sends the messages that an earlier page has left in the outbox. */
  async #restore(): Promise<void> {
    const { chatId } = this.store;
    const kept = (await this.outbox?.list(chatId, this.options.branch ?? null, true)) ?? [];
    if (kept.length > 0) this.#queue = this.#queue.then(() => this.#isOpened());
    for (const { content, parentId, isLoose: isFork } of kept) {
      void this.#send((content as { data: Message }).data, { parentId, isFork, options: {} });
    }
  }

  async #isOpened(): Promise<void> {
    await this.store.when(({ chat, status }) => chat !== null || !/opening|away/.test(status));
  }

  /** Sends the messages of a conflict again, as the user has chosen. */
  async #resend(turns: readonly Turn<Message>[], choice: 'append' | 'fork'): Promise<void> {
    let parentId = choice === 'append' ? this.#endId : (turns[0]?.parentId ?? null);
    for (const turn of turns) {
      const sent = sentOf(turn);
      void this.#send(sent, { parentId, isFork: choice === 'fork' && turn === turns[0], options: turn });
      parentId = sent.id;
    }
    await this.#queue;
  }

  /** The last message of the shown thread, read or not. */
  get #endId(): string | null {
    const { thread, leafId, hasNewer } = this.store.getState();
    return (hasNewer ? undefined : thread.at(-1)?.id) ?? leafId;
  }

  #after(parentId: string | null, sent: Message) {
    const expected = this.store.expect({ data: sent }, { id: sent.id, parentId, name: sent.role });
    return { parentId, messages: [...this.#threadTo(parentId), sent], expected };
  }

  #request(given: Omit<Turn<Message>, 'aborting'>): Promise<void> {
    const turn: Turn<Message> = { ...given, aborting: new AbortController() };
    this.#keep(turn);
    this.#failed = this.#failedAnswer = undefined;
    this.#error = undefined;
    this.#waiting++;
    this.#changed();
    this.#queue = this.#queue.then(() => this.#run(turn));
    return this.#queue;
  }

  /** Keeps the message of a turn in the outbox, except for files that only this page has. */
  #keep(turn: Turn<Message>): void {
    const { parentId, isFork } = turn;
    if (parentId === undefined || isFork === undefined) return;
    const data = sentOf(turn);
    const { id, role: name, parts } = data;
    if (parts.some((part) => 'url' in part && part.url.startsWith('blob:'))) return;
    const { chatId } = this.store;
    const { branch = null } = this.options;
    const sent = { id, chatId, name, content: { data }, createdAt: now(), parentId, branch, isLoose: isFork };
    this.outbox?.keep({ ...sent, isAsked: true }, new Promise((settle) => (turn.settle = settle)));
  }

  async #run(turn: Turn<Message>): Promise<void> {
    const { answerId } = this.#turn ?? {};
    this.#turn = turn;
    const { parentId, isFork } = turn;
    const { drafts, childrenMap, branch } = this.store.getState();
    const answers = [...drafts, ...(childrenMap.get(parentId ?? null) ?? [])];
    if (isFork === false && answers.some((one) => one.id === answerId && one.parentId === parentId)) {
      // The answer was unknown when the message was sent.
      turn.expected?.withdraw();
      Object.assign(turn, this.#after(answerId as string, sentOf(turn)));
    }
    const { aborting, expected, settle, answerId: _, parentId: after, isFork: _fork, ...options } = turn;
    const { signal } = aborting;
    let messages: Message[] | undefined;
    const isTransient = (reason: unknown) => {
      const { status } = this.store.getState();
      const isLost = this.outbox !== undefined && !!expected && isUnreachable(reason) && status !== 'closed';
      if (isLost) messages = undefined;
      return isLost;
    };
    try {
      if (parentId !== undefined && this.#conflicts.add(turn)) return;
      const { answer, body: fields, branch: pane, files, onUploadProgress: onProgress } = this.options;
      // The branch may have been renamed.
      const isNamed = pane != null || branch?.isActive === false;
      const name = isNamed ? { branch: branch?.name ?? pane } : {};
      const place = isFork === false ? { ...name, onConflict: 'REJECT' as const } : undefined;
      const body = { ...fields, ...name, ...options.body };
      // A request to `api` is not aborted: the answer is stopped once its id is known.
      const abortSignal = answer === undefined ? undefined : signal;
      // The thread may have been read since.
      const isRead = expected && this.getSnapshot().messages.some(({ id }) => id === after);
      const given = isRead ? [...this.#threadTo(after as string), sentOf(turn)] : turn.messages;
      const send = async () => {
        signal.throwIfAborted();
        messages = (await files?.storeFiles(given, { isSaved: !expected, signal, onProgress })) ?? given;
        const request = { ...options, messages, body, chatId: this.store.chatId, abortSignal };
        return this.#writer.choose().send(request, place);
      };
      const stream = await retry(send, this.parley.retryDelay, signal, isTransient);
      expected?.confirm();
      settle?.(SETTLED);
      await followTurn(this.store, turn, stream, (answerId) => void this.#stop(answerId));
    } catch (reason) {
      // Without messages, an upload was aborted, and nothing was sent.
      if (signal.aborted) {
        settle?.(SETTLED);
        return void (messages ?? expected?.withdraw());
      }
      if (isFork === false && codeOf(reason) === 'HEAD_CONFLICT') {
        return await this.#conflicts.open(turn, reason, this.options.onConflict);
      }
      if (turn.answerId !== undefined) this.#attended.add(`${turn.answerId} failed`);
      const { status } = this.store.getState();
      settle?.({ ok: false, error: status === 'closed' ? new ClosedError() : asParleyError(reason) });
      this.#failed = turn;
      this.#fail(asError(reason));
    } finally {
      this.#waiting--;
      this.#changed();
    }
  }

  #status(): ChatStatus {
    if (this.#error !== undefined) return 'error';
    const { thread, drafts } = this.store.getState();
    const last = thread.at(-1);
    if (last?.status === 'streaming' || last?.status === 'stopping') {
      const shown = this.#shown.draft(last.id)?.message;
      const chunk = drafts.find(({ id }) => id === last.id)?.chunks.at(-1) as { type?: string } | undefined;
      const isIdle = shown !== undefined && isWaiting(shown) && chunk?.type === 'finish';
      if (!isIdle) return (shown?.parts.length ?? 0) > 0 ? 'streaming' : 'submitted';
    }
    return this.#waiting > 0 ? 'submitted' : 'ready';
  }

  #find(messageId?: string) {
    const { thread } = this.store.getState();
    const message = messageId === undefined ? thread.at(-1) : thread.find(({ id }) => id === messageId);
    if (message === undefined) throw new Error(`Message "${messageId ?? ''}" is not in the thread that is shown`);
    return message;
  }

  /** The messages up to this one; a placeholder with its id for an unread message. */
  #threadTo(messageId: string | null): Message[] {
    if (messageId === null) return [];
    const { messages } = this.getSnapshot();
    const end = messages.findIndex(({ id }) => id === messageId);
    if (end >= 0) return messages.slice(0, end + 1);
    return [{ id: messageId, role: 'user', parts: [] as UIMessage['parts'] } as Message];
  }

  async #stop(draftId?: string): Promise<void> {
    const outcome = await this.store.stop(draftId);
    if (!outcome.ok && outcome.error.code !== 'NOT_FOUND') this.#fail(outcome.error);
  }

  /** Whether an event is handled for the first time. */
  #isNew(event: string): boolean {
    return !this.#attended.has(event) && !!this.#attended.add(event);
  }

  #failAnswer(id: string, failure: string): void {
    if (!this.#isNew(`${id} failed`)) return;
    this.#failedAnswer = id;
    this.#fail(new Error(failure));
  }

  #fail(error: Error): void {
    this.#error = error;
    this.options.onError?.(error);
    this.#changed();
  }

  /** Handles errors and tool calls of an answer that is being written, by any page or server. */
  #attend(): void {
    const last = this.store.getState().thread.at(-1);
    const draft = this.#shown.draft(last?.id);
    if (last === undefined) return;
    if (draft === undefined) {
      const { failure } = (last.data as Partial<UIMessage<{ failure?: string }>> | null)?.metadata ?? {};
      if (failure !== undefined && this.#written.has(last.id)) this.#failAnswer(last.id, failure);
      if (last.id === this.#turn?.answerId && this.#isNew(`${last.id} saved`)) {
        const { messages } = this.getSnapshot();
        const message = messages.at(-1);
        if (message !== undefined) this.options.onFinish?.({ message, messages, isError: failure !== undefined });
      }
      return;
    }
    this.#written.add(last.id);
    const { id, message, data } = draft;
    const { onToolCall, onData } = this.options;
    const isOwn = id === this.#turn?.answerId;
    // A chunk that this page cannot read is no failure of another writer's answer.
    const failure = draft.failure ?? (isOwn ? draft.error?.message : undefined);
    if (last.status === 'abandoned' && this.#isNew(id)) this.resumeStream().catch(() => {});
    if (failure !== undefined) this.#failAnswer(id, failure);
    if (!isOwn) return;
    const reported = this.#reported.get(id) ?? 0;
    this.#reported.set(id, data.length);
    for (const chunk of data.slice(reported)) onData?.(chunk as Parameters<typeof onData>[0]);
    if (onToolCall === undefined) return;
    for (const toolCall of waitingCalls(message)) if (this.#isNew(toolCall.toolCallId)) onToolCall({ toolCall });
  }

  #changed(): void {
    const before = this.#snapshot;
    if (this.#unsubscribe !== undefined) this.#shown.follow(this.store.getState());
    this.#attend();
    if (this.#given !== undefined) void this.#continueIfComplete();
    if (this.getSnapshot() === before) return;
    for (const notify of [...this.#listeners]) notify();
  }
}
