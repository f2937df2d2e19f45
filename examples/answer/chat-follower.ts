/**
 * Finds questions: `chatChanges` reports changed chats, and scans of the chats that changed since the last scan find those that
 * changed while it was not connected.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ContextError } from '@parley/context';
import { LRUCache } from 'lru-cache';
import { messageOf, type Output } from './output.js';
import type { Answerer } from './answerer.js';
import type { ChatChange, ParleyServer } from './parley-server.js';

/** Changes may become visible after others that happened later, and clocks of servers differ. */
const MARGIN_MS = 60_000;
/** How far back the first scan reads for questions of processes that ended. */
const LEFT_FOR_MS = 86_400_000;
const SCAN_INTERVAL_MS = 30_000;
/** After a connection, the server may need a moment until it sends changes. */
const SECOND_SCAN_MS = 1_000;
const RECONNECT_MS = 1_000;
const CHECKS_AT_A_TIME = 4;
/** Chats that wait for a look; the next scan finds others. */
const MAX_WAITING_CHATS = 1_000;

export interface FollowerOptions {
  server: ParleyServer;
  answerer: Answerer;
  /** Whether questions are answered that were asked before the start. */
  hasBacklog: boolean;
  output: Output;
  signal: AbortSignal;
}

interface PendingCheck {
  /** Milliseconds since 1970; null: all questions. */
  since: number | null;
  version: number;
}

export class ChatFollower {
  /** By the id of the chat. */
  readonly #waiting = new Map<string, PendingCheck>();
  /** The version of each chat at the last look. */
  readonly #checked = new LRUCache<string, number>({ max: 10_000 });
  #running = 0;
  #start = 0;
  #isOut = false;
  #onScan = new AbortController();

  constructor(private readonly options: FollowerOptions) {}

  /**
   * Runs until the signal is aborted.
   * @param onReady called when the first scan is complete, with the name of the chats that are followed
   * @throws ContextError when the server refuses, or the address is not one of a Parley server
   */
  async run(onReady: (chats: string) => void): Promise<void> {
    await Promise.all([this.#follow(), this.#scanAgain(onReady)]);
  }

  async #follow(): Promise<void> {
    const { server, signal } = this.options;
    while (!signal.aborted) {
      void this.#wait(SECOND_SCAN_MS).then(() => this.#onScan.abort());
      try {
        for await (const change of server.changes(signal)) this.#take(change);
      } catch (error) {
        // The scans decide whether the server is usable.
        if (isRefused(error)) throw error;
      }
      await this.#wait(RECONNECT_MS);
    }
  }

  #take({ chatId, kind, version, chat }: ChatChange): void {
    if (chat === null) return;
    const now = this.options.server.now();
    const since = Math.max(this.#start, now - MARGIN_MS);
    // A chat that is new in the list and was created long ago comes with an import or from another user.
    if (kind === 'CREATED' && Date.parse(chat.createdAt) < now - MARGIN_MS) this.#checked.set(chatId, version);
    else if (this.#waiting.size < MAX_WAITING_CHATS) this.#queueCheck(chatId, { since, version });
  }

  async #scanAgain(onReady: (chats: string) => void): Promise<void> {
    const { server, hasBacklog } = this.options;
    const launched = Date.now();
    let since: number | null = null;
    for (let isFirst = true; !this.#isOver();) {
      try {
        const userId = await server.viewedUser();
        if (isFirst) this.#start = hasBacklog ? 0 : launched + server.now() - Date.now();
        const begun = server.now();
        await this.#scan(since);
        since = begun - MARGIN_MS;
        if (this.#isOut) this.options.output.error('The server answers again.');
        this.#isOut = false;
        if (isFirst) onReady(userId === null ? 'all chats' : `the chats of user ${userId}`);
        isFirst = false;
        await this.#wait(SCAN_INTERVAL_MS, this.#onScan.signal);
        this.#onScan = new AbortController();
      } catch (error) {
        if (this.#isOver()) return;
        if (isRefused(error) || (isFirst && !isUnavailable(error))) throw error;
        if (!this.#isOut) this.options.output.error(`${messageOf(error)}; retrying`);
        this.#isOut = true;
        await this.#wait(RECONNECT_MS);
      }
    }
  }

  async #scan(after: number | null): Promise<void> {
    const { server, answerer, hasBacklog } = this.options;
    const isFirst = after === null;
    const from = isFirst && !hasBacklog ? this.#start - LEFT_FOR_MS : after;
    const since = isFirst && hasBacklog ? null : Math.max(this.#start, after ?? 0);
    for await (const { id, version, updatedAt, claimed } of server.chatsChangedAfter(from)) {
      if (this.#isOver()) return;
      for (const question of claimed) await answerer.add(question, true);
      if (since !== null && updatedAt <= since) continue;
      while (this.#waiting.size >= MAX_WAITING_CHATS && !this.#isOver()) await this.#wait(100);
      this.#queueCheck(id, { since, version });
    }
  }

  #queueCheck(chatId: string, { since, version }: PendingCheck): void {
    if ((this.#checked.get(chatId) ?? -1) >= version) return;
    const before = this.#waiting.get(chatId);
    const isEarlier = before !== undefined && (before.since ?? 0) < (since ?? 0);
    this.#waiting.set(chatId, { since: isEarlier ? before.since : since, version });
    this.#pump();
  }

  #pump(): void {
    for (const [chatId, check] of this.#waiting) {
      if (this.#running >= CHECKS_AT_A_TIME || this.options.signal.aborted) return;
      this.#waiting.delete(chatId);
      this.#running++;
      void this.#checkChat(chatId, check).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  async #checkChat(chatId: string, { since, version }: PendingCheck): Promise<void> {
    const { server, answerer } = this.options;
    try {
      for (const question of await server.questionsAskedAfter(chatId, since)) await answerer.add(question);
      this.#checked.set(chatId, version);
    } catch (error) {
      if (!isUnavailable(error)) return this.options.output.error(`Chat ${chatId} is left out: ${messageOf(error)}`);
      // Scans do not read as far back a second time.
      await this.#wait(RECONNECT_MS);
      this.#queueCheck(chatId, { since, version });
    }
  }

  #isOver(): boolean {
    return this.options.signal.aborted;
  }

  /** Waits until a time is over, or the process ends. */
  async #wait(ms: number, sooner?: AbortSignal): Promise<void> {
    const { signal } = this.options;
    await pause(ms, undefined, { signal: sooner ? AbortSignal.any([signal, sooner]) : signal }).catch(() => {});
  }
}

const isRefused = (error: unknown) => error instanceof ContextError && error.code === 'UNAUTHENTICATED';
const isUnavailable = (error: unknown) => error instanceof ContextError && error.code === 'UNAVAILABLE';
