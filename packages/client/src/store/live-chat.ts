/** Keeps up with one chat: reads what is there, then follows its events, through whatever breaks in between. */
import type { Parley } from '../connection/create-parley.js';
import {
  asParleyError,
  ClosedError,
  RequestError,
  UnauthorizedError,
  UnreachableError,
  type ParleyError,
} from '@parley/transport/errors';
import { retry } from '@parley/transport/retry';
import { ChatChanges, ChatEvents, ReadVersion } from '../generated/operations.js';
import type { ChatEvent, Snapshot } from './chat-record.js';
import { readSnapshot } from './read-snapshot.js';

/**
 * - `opening`: nothing was read yet
 * - `live`: what is shown is what the server has
 * - `catching-up`: the server has more, and it is coming
 * - `away`: the server cannot be reached; it is tried again by itself
 * - `refused`: the token was refused. With a function for one it is tried again by itself
 * - `gone`: the chat was deleted, or is somebody else's now, or never was
 * - `failed`: the server has an error of its own, which would come again
 * - `closed`: the store was closed
 */
export type Status = 'opening' | 'live' | 'catching-up' | 'away' | 'refused' | 'gone' | 'failed' | 'closed';

export interface LiveChatEvents {
  snapshot(snapshot: Snapshot): void;
  /** @returns false when it does not fit: it takes a snapshot to go on */
  event(event: ChatEvent): boolean;
  status(status: Status, error: ParleyError | null): void;
}

export class LiveChat {
  #run: AbortController | undefined;
  #seq: number | null;
  /** Whether it was followed before, and may have missed something. */
  #isStale: boolean;
  #wasFollowed = false;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly options: { pageSize: number; farBehind: number; create: boolean },
    private readonly events: LiveChatEvents,
    /** The version of the state that is shown already. */
    seq: number | null,
  ) {
    this.#seq = seq;
    this.#isStale = seq !== null;
  }

  /** Begins, or goes on where it was. */
  start(): void {
    if (this.#run !== undefined) return;
    this.#run = new AbortController();
    if (this.#seq === null) void this.#open(this.#run);
    else this.#follow(this.#run);
  }

  stop(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  #restart(run: AbortController): void {
    if (run.signal.aborted) return;
    this.stop();
    this.#run = new AbortController();
    this.events.status('catching-up', null);
    void this.#open(this.#run);
  }

  #end(run: AbortController, status: Status, error: ParleyError | null): void {
    if (run.signal.aborted) return;
    run.abort();
    this.events.status(status, error);
  }

  async #open(run: AbortController): Promise<void> {
    const { signal } = run;
    const isTransient = (reason: unknown) => {
      const error = asParleyError(reason);
      const status = statusOf(error);
      const isAway = status === 'away' || status === 'refused';
      if (isAway) this.events.status(status, error);
      return isAway;
    };
    try {
      const read = () => readSnapshot(this.parley, this.chatId, this.options.pageSize, signal);
      const chat = await retry(read, this.parley.retryDelay, signal, isTransient);
      if (signal.aborted) return;
      if (chat === null) return this.#wait(run);
      this.#seq = chat.version;
      this.#isStale = false;
      this.events.snapshot(chat);
      this.#follow(run);
    } catch (reason) {
      const error = asParleyError(reason);
      this.#end(run, statusOf(error), error);
    }
  }

  /** There is no such chat for this user, for now: whoever makes it, and wherever, it is opened then. */
  #wait(run: AbortController): void {
    const { signal } = run;
    const tell = () => {
      if (this.options.create && this.#seq === null) this.events.status('live', null);
      else this.events.status('gone', new RequestError(`Chat "${this.chatId}" not found`, 'NOT_FOUND'));
    };
    tell();
    const stop = this.parley.follow(
      ChatChanges,
      {},
      {
        connected: (isAgain) => {
          if (isAgain) tell();
          // It may have come before this is told of what comes.
          void this.version(signal).then((version) => version !== null && this.#restart(run));
        },
        next: ({ chatChanges: { chatId, chat } }) => {
          if (chatId === this.chatId && chat !== null) this.#restart(run);
        },
        away: (error) => this.events.status(statusOf(error), error),
        ended: (reason) => {
          const error = asParleyError(reason ?? new ClosedError());
          this.#end(run, statusOf(error), error);
        },
      },
    );
    signal.addEventListener('abort', stop);
  }

  #follow(run: AbortController): void {
    const { signal } = run;
    let isRight = true;
    /** The version that it is to catch up with. */
    let target: number | null = null;
    const isBehind = this.#isStale;
    const wasFollowed = this.#wasFollowed;
    this.#wasFollowed = true;
    const arrive = () => {
      if (target === null || (this.#seq ?? 0) < target) return;
      target = null;
      this.events.status('live', null);
    };
    const stop = this.parley.follow(
      ChatEvents,
      { chatId: this.chatId, after: this.#seq },
      {
        connected: (isAgain) => {
          if (!isAgain && !isBehind) return this.events.status('live', null);
          // A state that a server has rendered stays `live` until it is known to be older.
          if (isAgain || wasFollowed) this.events.status('catching-up', null);
          void this.version(signal).then((version) => {
            if (version === null || signal.aborted) return;
            if (version - (this.#seq ?? 0) > this.options.farBehind) return this.#restart(run);
            target = version;
            arrive();
          });
        },
        next: ({ chatEvents: event }) => {
          if (!isRight) return;
          this.#seq = event.seq;
          isRight = this.events.event(event);
          if (event.__typename === 'ChatDeleted')
            this.#end(run, 'gone', new RequestError('The chat was deleted', 'DELETED'));
          else if (!isRight) this.#restart(run);
          else arrive();
        },
        away: (error) => this.events.status(statusOf(error), error),
        ended: (reason) => {
          const error = reason === null ? new RequestError('The chat was deleted', 'DELETED') : asParleyError(reason);
          // The log is shorter than it was: another chat has this id now.
          if (error.code === 'BAD_USER_INPUT') return this.#restart(run);
          // It is somebody else's now.
          if (error.code === 'NOT_FOUND') return this.#wait(run);
          this.#end(run, reason === null ? 'gone' : statusOf(error), error);
        },
      },
    );
    this.#isStale = true;
    signal.addEventListener('abort', stop);
  }

  /** How far the server is; null when it does not say: the socket will. */
  version(signal: AbortSignal): Promise<number | null> {
    const read = () => this.parley.run(ReadVersion, { chatId: this.chatId }, signal);
    return retry(read, this.parley.retryDelay, signal).then(
      ({ chat }) => chat?.version ?? null,
      () => null,
    );
  }
}

function statusOf(error: ParleyError): Status {
  if (error.code === 'CLOSED') return 'closed';
  if (error instanceof UnauthorizedError) return 'refused';
  return error instanceof UnreachableError ? 'away' : 'failed';
}
