/** Answers a limited number of questions at a time, and watches questions that other processes answer until they end. */
import { ContextError } from '@parley/context';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { messageOf, type Output } from './output.js';
import type { AnswerModel } from './model.js';
import { claimQuestion, endLeft, readStanding, type Standing } from './claim.js';
import type { ParleyServer } from './parley-server.js';
import { questionKey, type Question } from './question.js';
import { titleChat } from './title-chat.js';
import { writeAnswer, type Written } from './write-answer.js';

/** Questions that wait for an answer or are watched. */
const MAX_QUESTIONS = 1_000;
/** Attempts for a question that the server refuses, such as in a chat with too many drafts. */
const MAX_REFUSALS = 20;
/** Watched questions that are read at a time. */
const READS_AT_A_TIME = 4;

export interface AnswererOptions {
  server: ParleyServer;
  model: AnswerModel;
  /** Names this process. */
  writer: string;
  concurrency: number;
  maxMessages: number;
  /** Seconds. */
  idleTimeout: number;
  hasTitles: boolean;
  output: Output;
  /** Aborted when no other answer may begin. */
  signal: AbortSignal;
}

interface Entry {
  readonly question: Question;
  state: 'queued' | 'waiting' | 'answering';
  /** Whether a claim was seen: if it ends without an answer, the question was stopped or abandoned. */
  wasClaimed: boolean;
  refusals: number;
}

export class Answerer {
  readonly #entries = new Map<string, Entry>();
  readonly #settled = new LRUCache<string, true>({ max: 10_000 });
  readonly #running = new Set<Promise<void>>();
  #waiters: (() => void)[] = [];
  #isWatching = false;

  constructor(private readonly options: AnswererOptions) {}

  /** How many answers are being written. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Answers a question, unless it is known. It waits while too many questions do.
   * @param isClaimed a process has claimed it: it is watched first
   */
  async add(question: Question, isClaimed = false): Promise<void> {
    const key = questionKey(question);
    const isKnown = () => this.#settled.has(key) || this.#entries.has(key);
    while (!isKnown() && this.#entries.size >= MAX_QUESTIONS && !this.options.signal.aborted) await this.#whenFree();
    if (isKnown()) return;
    const state = isClaimed ? 'waiting' : 'queued';
    this.#entries.set(key, { question, state, wasClaimed: isClaimed, refusals: 0 });
    this.#pump();
  }

  /** Reads all questions that are not being answered here again, whenever a process may have ended. */
  async watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const limit = pLimit(READS_AT_A_TIME);
    const entries = [...this.#entries].filter(([, { state }]) => state !== 'answering');
    await Promise.all(entries.map((entry) => limit(() => this.#watch(...entry))));
    this.#isWatching = false;
    this.#pump();
  }

  /** Settles when all answers that have begun are written. */
  async finished(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #watch(key: string, entry: Entry): Promise<void> {
    if (entry.state === 'answering' || this.options.signal.aborted) return;
    const standing = await readStanding(this.options.server, entry.question).catch(() => null);
    // It may have begun here meanwhile.
    if (standing !== null && this.#entries.get(key) === entry) this.#take(key, entry, standing);
  }

  /** @returns the standing when the question can be claimed */
  #take(key: string, entry: Entry, standing: Standing): Extract<Standing, { state: 'free' | 'left' }> | null {
    const isOver = standing.state === 'over' || (standing.state === 'free' && entry.wasClaimed);
    if (isOver) this.#settle(key);
    if (standing.state === 'written' || standing.state === 'left') entry.wasClaimed = true;
    const isOpen = !isOver && (standing.state === 'free' || standing.state === 'left');
    if (entry.state !== 'answering') entry.state = isOpen ? 'queued' : 'waiting';
    return isOpen ? standing : null;
  }

  #settle(key: string): void {
    this.#entries.delete(key);
    this.#settled.set(key, true);
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiting) resolve();
  }

  #whenFree(): Promise<void> {
    const { signal } = this.options;
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #pump(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#running.size >= this.options.concurrency || this.options.signal.aborted) return;
      if (entry.state !== 'queued') continue;
      entry.state = 'answering';
      const run = this.#answer(key, entry).finally(() => {
        this.#running.delete(run);
        this.#pump();
      });
      this.#running.add(run);
    }
  }

  async #answer(key: string, entry: Entry): Promise<void> {
    const { question } = entry;
    try {
      await this.#claimAndWrite(key, entry);
    } catch (error) {
      this.#log(question, `failed: ${messageOf(error)}`);
      const isUnavailable = error instanceof ContextError && error.code === 'UNAVAILABLE';
      if (!isUnavailable && ++entry.refusals >= MAX_REFUSALS) this.#settle(key);
    }
    // The next look decides.
    entry.state = 'waiting';
  }

  async #claimAndWrite(key: string, entry: Entry): Promise<void> {
    const { server, model, writer, maxMessages, idleTimeout, hasTitles } = this.options;
    const { question } = entry;
    const standing = this.#take(key, entry, await readStanding(server, question));
    if (standing === null) return;
    if (standing.state === 'left' && (await endLeft(server, question, standing))) return this.#settle(key);
    const metadata = { writer, model: model.name };
    const draftId = await claimQuestion(server, question, standing, { metadata, idleTimeout });
    entry.wasClaimed = true;
    if (draftId === null) return;
    const begun = Date.now();
    const onRetry = (error: unknown) => this.#log(question, `is retried: ${messageOf(error)}`);
    const written = await writeAnswer(server, question, draftId, { model, maxMessages, idleTimeout, onRetry });
    this.#settle(key);
    this.#log(question, `${outcomeOf(written)} after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    if (!hasTitles || standing.title !== null || written.outcome !== 'answered') return;
    await titleChat(server, model, question).catch((error: unknown) => {
      this.#log(question, `is answered, but its chat has no title: ${messageOf(error)}`);
    });
  }

  #log({ chatId, branchName, messageId }: Question, text: string): void {
    this.options.output.out(`Question ${messageId} of chat ${chatId} (${branchName}) ${text}`);
  }
}

function outcomeOf({ outcome, isSaved, error }: Written): string {
  const saved = isSaved ? 'saved as incomplete' : 'nothing saved';
  if (outcome === 'answered') return 'was answered';
  return outcome === 'stopped' ? `was stopped, ${saved},` : `failed (${messageOf(error)}), ${saved},`;
}
