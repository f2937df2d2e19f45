/** Reads one chat, then follows its events, and resumes after lost connections. */
import {
  asParleyError,
  ClosedError,
  codeOf,
  RequestError,
  UnauthorizedError,
  UnreachableError,
  type ParleyError,
} from '@parley/transport/errors';
import type { Parley } from '../connection/create-parley.js';
import type { Operation } from '../connection/operation.js';
import { readSnapshot } from './read-snapshot.js';
import { ChatAccess, ChatEvents, ReadVersion } from '../generated/operations.js';
import { lookTwice } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
import type { ChatEvent, Snapshot } from './chat-record.js';
import type { Followed } from '@parley/transport/live-socket';

/**
 * - `opening`: the chat is being read for the first time
 * - `live`: the store is up to date
 * - `catching-up`: the store reads newer events of the server
 * - `away`: the server is unavailable; the store retries
 * - `refused`: the token was refused. When the token is a function, the store retries
 * - `gone`: the chat was deleted, belongs to another user, or never existed
 * - `failed`: the server returned an error that a retry would return again
 * - `closed`: the store was closed
 */
export type Status = 'opening' | 'live' | 'catching-up' | 'away' | 'refused' | 'gone' | 'failed' | 'closed';

export interface LiveChatEvents {
  snapshot(snapshot: Snapshot): void;
  /** @returns false when the event does not follow the last one: the store then reads a snapshot */
  event(event: ChatEvent): boolean;
  status(status: Status, error: ParleyError | null): void;
}

export class LiveChat {
  #run: AbortController | undefined;
  #seq: number | null;
  /** Whether the store may have missed events. */
  #isStale: boolean;
  #wasFollowed = false;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly options: { pageSize: number; farBehind: number; create: boolean },
    private readonly events: LiveChatEvents,
    /** The version of the initial state. */
    seq: number | null,
  ) {
    this.#seq = seq;
    this.#isStale = seq !== null;
  }

  /** Starts, or resumes after the last event. */
  start(): void {
    if (this.#run) return;
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

  #fail(run: AbortController, reason: unknown): void {
    const error = asParleyError(reason);
    this.#end(run, statusOf(error), error);
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
      this.#fail(run, reason);
    }
  }

  /** This user has no such chat: the store opens it after it is created, shared with the user or transferred to it. */
  #wait(run: AbortController): void {
    const { signal } = run;
    const report = () => {
      if (this.options.create && this.#seq === null) this.events.status('live', null);
      else this.events.status('gone', new RequestError(`Chat "${this.chatId}" not found`, 'NOT_FOUND'));
    };
    report();
    this.#subscribe(
      run,
      ChatAccess,
      {},
      {
        connected: (isAgain) => {
          if (isAgain) report();
          void lookTwice(signal, async () => (await this.version(signal)) !== null && this.#restart(run));
        },
        next: ({ chatChanges: { chatId, chat } }) => {
          if (chatId === this.chatId && chat !== null) this.#restart(run);
        },
        ended: (reason) => this.#fail(run, reason ?? new ClosedError()),
      },
    );
  }

  #follow(run: AbortController): void {
    const { signal } = run;
    let isRight = true;
    /** The version of the server when the subscription started. */
    let target: number | null = null;
    const isBehind = this.#isStale;
    const wasFollowed = this.#wasFollowed;
    this.#wasFollowed = true;
    const arrive = () => {
      if (target === null || (this.#seq ?? 0) < target) return;
      target = null;
      this.events.status('live', null);
    };
    const end = () => this.#end(run, 'gone', new RequestError('The chat was deleted', 'DELETED'));
    this.#subscribe(
      run,
      ChatEvents,
      { chatId: this.chatId, after: this.#seq },
      {
        connected: (isAgain) => {
          if (!isAgain && !isBehind) return this.events.status('live', null);
          // A server-rendered state stays `live` until it is known to be outdated.
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
          if (event.__typename === 'ChatDeleted') end();
          else if (!isRight) this.#restart(run);
          else arrive();
        },
        ended: (reason) => {
          if (reason === null) return end();
          const code = codeOf(reason);
          // The log is shorter than before: another chat uses this id now.
          if (code === 'BAD_USER_INPUT') this.#restart(run);
          // The chat was transferred to another user.
          else if (code === 'NOT_FOUND') this.#wait(run);
          else this.#fail(run, reason);
        },
      },
    );
    this.#isStale = true;
  }

  #subscribe<Result extends object, Variables>(
    { signal }: AbortController,
    operation: Operation<Result, Variables>,
    variables: Variables,
    followed: Followed<Result>,
  ): void {
    const away = (error: ParleyError) => this.events.status(statusOf(error), error);
    signal.addEventListener('abort', this.parley.follow(operation, variables, { ...followed, away }));
  }

  /** The version of the chat at the server; null when it cannot be read: the socket reports why. */
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
