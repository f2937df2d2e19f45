/**
 * A chat with the functions of useChat. All messages come from the store. A turn saves a message and starts an
 * answer, which the store follows.
 */
import type { ChatRequestOptions, ChatStatus, UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import type { Outbox } from '../store/outbox.js';
import { isSame } from '../store/same.js';
import type { ThreadStore } from '../thread-store.js';
import type { ChatSnapshot, ParleyChatOptions } from './parley-chat-options.js';
import { ToolOutputs, waitingCalls, type ApprovalResponse, type GivenOutput } from './tool-outputs.js';
import { partsToSend, type Sent, type Turn } from './turn.js';
import { TurnQueue, type TurnChat } from './turn-queue.js';
import { asError, isWaiting } from './ui-message.js';
import { UIMessages } from './ui-messages.js';

export class ParleyChat<Message extends UIMessage> {
  options: ParleyChatOptions<Message> = {};
  readonly #listeners = new Set<() => void>();
  readonly #shown = new UIMessages<Message>(() => this.#changed());
  readonly #outputs = new ToolOutputs();
  readonly #turns: TurnQueue<Message>;
  /** Abandoned, failed and saved answers, and tool calls, that were already handled. */
  readonly #attended = new Set<string>();
  /** The ids of answers that the page has shown while they were written. */
  readonly #written = new Set<string>();
  /** How many `data-*` chunks of each answer were reported. */
  readonly #reported = new Map<string, number>();
  #failed: Turn<Message> | undefined;
  /** The id of the answer whose failure is `#error`. */
  #failedAnswer: string | undefined;
  #error: Error | undefined;
  /** A draft that a server was requested to end: it discards one without content, whose answer has failed. */
  #abandoned: string | undefined;
  /** The request options of the last tool output or approval, until it is sent. */
  #given: ChatRequestOptions | undefined;
  #unsubscribe: (() => void) | undefined;
  #snapshot: ChatSnapshot<Message> | undefined;
  /** The messages of `setMessages`, in place of those of a thread. */
  #override: { thread: Message[]; messages: Message[] } | undefined;
  #initial: ChatSnapshot<Message> | undefined;

  constructor(
    parley: Parley,
    readonly store: ThreadStore,
    outbox: Outbox | undefined,
  ) {
    const chat: TurnChat<Message> = {
      options: () => this.options,
      messages: () => this.getSnapshot().messages,
      added: () => this.#clearError(),
      failed: (turn, reason) => {
        if (turn.answerId !== undefined) this.#attended.add(`${turn.answerId} failed`);
        this.#failed = turn;
        this.#fail(asError(reason));
      },
      stop: (answerId) => void this.#stop(answerId),
      changed: () => this.#changed(),
    };
    this.#turns = new TurnQueue(parley, store, outbox, chat);
  }

  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    this.#unsubscribe ??= this.store.subscribe(() => this.#changed());
    void this.#turns.restore();
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
    const now = { messages, status: this.#status(), error: this.#error, conflicts: this.#turns.conflicts.list };
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
    const parts = await partsToSend(message, this.options.files?.attach);
    if (parts.length === 0) throw new Error('The message is empty');
    const { messageId } = message;
    await this.#turns.ready(messageId != null);
    if (this.#failed !== undefined) await this.retry();
    const edited = messageId == null ? undefined : this.#find(messageId);
    const { role = 'user', metadata, id: given } = message as Partial<Message>;
    const id = given === undefined || given === messageId ? crypto.randomUUID() : given;
    const sent = { id, role, parts, ...(metadata !== undefined && { metadata }) } as Message;
    await this.#turns.send(sent, edited, options);
  };

  /**
   * Requests another answer to the question of a message, by default the last one. The thread shows it from its first
   * content on.
   * @throws Error for a `messageId` that is not shown
   */
  regenerate = async ({ messageId, ...options }: { messageId?: string } & ChatRequestOptions = {}): Promise<void> => {
    const message = this.#find(messageId);
    const questionId = message.name === 'user' ? message.id : message.parentId;
    const messages = this.#turns.threadTo(questionId);
    await this.#turns.request({ ...options, trigger: 'regenerate-message', messageId: message.id, messages });
  };

  /** Repeats the failed request, of which nothing is saved twice, or requests another answer instead of a failed one. */
  retry = async (): Promise<void> => {
    const [turn, messageId] = [this.#failed, this.#failedAnswer];
    if (turn !== undefined) return void (await this.#turns.request(turn));
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
    const { current } = this.#turns;
    current?.aborting.abort();
    await this.#stop();
    if (current?.answerId !== undefined) await this.#stop(current.answerId);
  };

  /** Requests a server to end an answer that its writer has abandoned. The store follows other answers without this. */
  resumeStream = async (): Promise<void> => {
    const { chatId } = this.store;
    await (await this.#turns.writer.choose().reconnect({ chatId }, this.store.getState().leafId))?.cancel();
  };

  /** Also removes a message that was not saved. */
  clearError = (): void => {
    this.#failed?.expected?.withdraw();
    this.#clearError();
  };

  addToolOutput = async (given: GivenOutput): Promise<void> => {
    const { toolCallId, state = 'output-available', output, errorText, options } = given;
    this.#outputs.addOutput(toolCallId, errorText === undefined ? { state, output } : { state, errorText });
    await this.#give(options);
  };

  addToolApprovalResponse = async ({ id, options, ...response }: ApprovalResponse): Promise<void> => {
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
    await this.#turns.request({ ...options, trigger: 'submit-message', messageId, messages });
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
    return this.#turns.isEmpty ? 'ready' : 'submitted';
  }

  #find(messageId?: string) {
    const { thread } = this.store.getState();
    const message = messageId === undefined ? thread.at(-1) : thread.find(({ id }) => id === messageId);
    if (message === undefined) throw new Error(`Message "${messageId ?? ''}" is not in the thread that is shown`);
    return message;
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

  #clearError(): void {
    this.#failed = this.#failedAnswer = this.#error = undefined;
    this.#changed();
  }

  #fail(error: Error): void {
    this.#error = error;
    this.options.onError?.(error);
    this.#changed();
  }

  /** Handles errors and tool calls of an answer that is being written, by any page or server. */
  #attend(): void {
    const { status, thread, drafts } = this.store.getState();
    const abandoned = this.#abandoned;
    if (abandoned !== undefined && status === 'live' && !drafts.some(({ id }) => id === abandoned)) {
      this.#abandoned = undefined;
      const isDiscarded = this.store.getMessageSiblingInfo(abandoned) === null;
      // A turn that still runs reports its own failure.
      if (isDiscarded && this.#turns.isEmpty) this.#failAnswer(abandoned, 'The answer was abandoned.');
    }
    const last = thread.at(-1);
    const draft = this.#shown.draft(last?.id);
    if (last === undefined) return;
    if (draft === undefined) {
      const { failure } = (last.data as Partial<UIMessage<{ failure?: string }>> | null)?.metadata ?? {};
      if (failure !== undefined && this.#written.has(last.id)) this.#failAnswer(last.id, failure);
      if (last.id === this.#turns.current?.answerId && this.#isNew(`${last.id} saved`)) {
        const { messages } = this.getSnapshot();
        const message = messages.at(-1);
        if (message !== undefined) this.options.onFinish?.({ message, messages, isError: failure !== undefined });
      }
      return;
    }
    this.#written.add(last.id);
    const { id, message, data } = draft;
    const { onToolCall, onData } = this.options;
    const isOwn = id === this.#turns.current?.answerId;
    // A chunk that this page cannot read is no failure of another writer's answer.
    const failure = draft.failure ?? (isOwn ? draft.error?.message : undefined);
    if (last.status === 'abandoned' && this.#isNew(id)) {
      this.#abandoned = id;
      this.resumeStream().catch(() => {});
    }
    if (failure !== undefined) this.#failAnswer(id, failure);
    else if (last.status === 'streaming') {
      // The answer to a repeated question has the same id.
      if (this.#attended.delete(id)) this.#attended.delete(`${id} failed`);
      if (this.#failedAnswer && !this.#failed) this.#clearError();
    }
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
