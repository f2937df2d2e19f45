/** An outbox over a storage: bounded, in the order of `keep`, and in memory when the storage fails. */
import { ParleyError } from '@parley/transport/errors';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { Outbox, SentMessage } from '../store/outbox.js';
import type { Outcome } from '../outcome.js';
import { contentOf, type Message } from '../message.js';

/** Stores messages. The outbox calls one function at a time, and reports rejections to `onError`. */
export interface OutboxStorage {
  /** Adds a message after the others, or replaces the one with its id in its place. */
  put(message: SentMessage): Promise<void>;
  remove(id: string): Promise<void>;
  /** All messages, in the order of their addition. */
  list(): Promise<readonly SentMessage[]>;
  count(): Promise<number>;
  clear(): Promise<void>;
}

export interface OutboxOptions {
  /**
   * The largest number of kept messages, of all chats.
   * @default 500
   */
  maxMessages?: number;
  /**
   * Milliseconds after which a message expires.
   * @default 604_800_000 (7 days)
   */
  maxAgeMs?: number;
  /**
   * Called when a message cannot be stored: it is still sent, unless the page is reloaded first.
   * @default console.error
   */
  onError?: (error: ParleyError) => void;
  /**
   * Called with a message of an earlier page that was not saved: the server has refused it, or it is older than
   * `maxAgeMs` (code `EXPIRED`). `send()` returns the outcome of a message of this page.
   * @default onError
   */
  onRefused?: (error: ParleyError, message: SentMessage) => void;
}

const STORAGE_TIMEOUT_MS = 5_000;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export class StoredOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>;
  /** Messages that are not in the storage yet. */
  readonly #memory = new Map<string, SentMessage>();
  /** Messages that a store of this page is sending, by id. */
  readonly #running = new Map<string, SentMessage>();
  /** Messages that another page sent first, by id. */
  readonly #listed = new Map<string, SentMessage>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly storage: OutboxStorage,
    {
      maxMessages = 500,
      maxAgeMs = WEEK_MS,
      // oxlint-disable-next-line no-console -- The option selects another function.
      onError = console.error,
      onRefused = onError,
    }: OutboxOptions = {},
  ) {
    this.#options = { maxMessages, maxAgeMs, onError, onRefused };
  }

  keep(message: SentMessage, settled: Promise<Outcome<readonly Message[]>>): void {
    const { id } = message;
    const row = this.#running.get(id) ?? this.#listed.get(id);
    this.#running.set(id, message);
    if (row?.parentId !== message.parentId || row.isLoose !== message.isLoose)
      void this.#put(message, row !== undefined);
    void settled.then(async (outcome) => {
      this.#running.delete(id);
      const code = outcome.ok ? undefined : outcome.error.code;
      if (code === 'CLOSED') return;
      await this.#remove(id);
      // After a conflict, the outcome is an error when the user discards the message.
      if (!outcome.ok && code !== 'HEAD_CONFLICT' && this.#listed.has(id)) {
        this.#options.onRefused(outcome.error, message);
      }
    });
  }

  async list(chatId?: string, branch?: string | null, isAsked?: boolean): Promise<readonly SentMessage[]> {
    const stored = (await this.#run(() => this.storage.list())) ?? [];
    const oldest = new Date(Date.now() - this.#options.maxAgeMs).toISOString();
    const listed: SentMessage[] = [];
    for (const message of [...stored, ...this.#memory.values()]) {
      const { id, createdAt } = message;
      if (this.#running.has(id)) continue;
      if (chatId !== undefined && message.chatId !== chatId) continue;
      if (branch !== undefined && message.branch !== branch) continue;
      if (isAsked !== undefined && (message.isAsked ?? false) !== isAsked) continue;
      if (createdAt < oldest) {
        void this.#remove(id);
        this.#options.onRefused(
          new ParleyError(`The message of ${createdAt} is too old to be sent`, 'EXPIRED'),
          message,
        );
        continue;
      }
      this.#listed.set(id, message);
      listed.push(message);
    }
    return listed;
  }

  /** Deletes all messages: call it when the user signs out. */
  async clear(): Promise<void> {
    this.#memory.clear();
    await this.#run(() => this.storage.clear());
  }

  #put(message: SentMessage, isKept: boolean): Promise<void | undefined> {
    const { maxMessages } = this.#options;
    return this.#run(async () => {
      const bytes = new TextEncoder().encode(JSON.stringify(contentOf(message.content))).length;
      if (bytes > MAX_MESSAGE_BYTES) {
        throw new ParleyError(
          `The outbox keeps at most ${MAX_MESSAGE_BYTES} bytes a message, got ${bytes}`,
          'TOO_LARGE',
        );
      }
      if (this.#memory.has(message.id)) return void this.#memory.set(message.id, message);
      try {
        if (!isKept && (await this.storage.count()) >= maxMessages) {
          throw new ParleyError(`The outbox keeps at most ${maxMessages} messages: a reload loses this one`, 'FULL');
        }
        await this.storage.put(message);
      } catch (reason) {
        if (!isKept && this.#memory.size < maxMessages) this.#memory.set(message.id, message);
        throw reason;
      }
    });
  }

  #remove(id: string): Promise<void | undefined> {
    return this.#run(async () => {
      if (!this.#memory.delete(id)) await this.storage.remove(id);
    });
  }

  /** Calls the storage after its earlier calls, so that a message is not removed before it is added. */
  #run<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    const ended = this.#last
      .then(() => withTimeout(call()))
      .catch((reason: unknown) => {
        this.#options.onError(storageError(reason));
        return undefined;
      });
    this.#last = ended;
    return ended;
  }
}

function storageError(cause: unknown): ParleyError {
  if (cause instanceof ParleyError) return cause;
  return new ParleyError(`The outbox cannot store messages, a reload loses them: ${String(cause)}`, 'STORAGE', {
    cause,
  });
}

/** An unresponsive storage must not delay `send()`. */
function withTimeout<Value>(call: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ParleyError(`The storage has not answered within ${STORAGE_TIMEOUT_MS} ms`, 'TIMEOUT')),
      STORAGE_TIMEOUT_MS,
    );
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
