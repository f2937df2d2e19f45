/** Measures how an operation delays other users, compared with a server without load. */
import { setTimeout as pause } from 'node:timers/promises';
import { memoryBudget } from './bounds.js';
import type { Answer } from './answer.js';
import type { Operation } from './operation.js';
import { Sender } from './sender.js';
import { startWatched, type WatchedServer } from './server.js';
import { SHARED_ENDS } from './shapes.js';
import { sharesOn, type Shares } from './shares.js';
import type { Victims, Waits } from './victims.js';

/** The delay of other users, in milliseconds. */
export interface Figures extends Waits {
  /** The longest turn of the server's event loop. */
  turn: number;
}

export interface Outcome extends Figures {
  answer: Answer;
  /** Whether the process ended. */
  isDeath: boolean;
  residentBytes: number;
  /** The growth of reachable memory, and its bound. */
  grownBytes: number;
  budgetBytes: number;
}

/** The duration of the baseline measurement, in milliseconds. */
const QUIET_MS = 4_000;

/**
 * The minimum duration of a trial, in milliseconds: keeps the hostile user within the rate limit, and lets other users
 * send queries.
 */
const LEAST_MS = 250;
const LEAST_MS_EACH = 60;

/** The interval and the maximum of checks whether a server is idle again after a trial. */
const ROUND_MS = 50;
const MAX_ROUNDS = 20;

/** The duration without work that ends a trial, in milliseconds. */
const IDLE_MS = 50;

export class TrialRunner {
  private constructor(
    private readonly databaseUrl: string,
    private readonly heapMib: number,
    private readonly shares: Shares,
    private readonly victims: Victims,
    readonly quiet: Figures,
    private server: WatchedServer,
    private sender: Sender,
  ) {}

  /** Starts a server and measures the baseline without load. */
  static async open(databaseUrl: string, heapMib: number, victims: Victims): Promise<TrialRunner> {
    const shares = await sharesOn(databaseUrl, SHARED_ENDS);
    const server = await startWatched(databaseUrl, heapMib);
    victims.ask(server.url);
    await pause(QUIET_MS);
    await Promise.all([server.turns(), victims.waits()]);
    await pause(QUIET_MS);
    const [turns, waits] = await Promise.all([server.turns(), victims.waits()]);
    const quiet = { turn: Math.max(1, turns?.turnMs ?? 0), ...waits };
    const sender = await Sender.to(server.url, shares);
    return new TrialRunner(databaseUrl, heapMib, shares, victims, quiet, server, sender);
  }

  async try(operation: Operation): Promise<Outcome> {
    await this.#settle();
    const least = pause(Math.max(LEAST_MS, LEAST_MS_EACH * operation.times));
    const answer = await this.sender.send(operation);
    await least;
    const turns = await this.server.untilIdle(IDLE_MS);
    this.sender.disconnect();
    const waits = await this.victims.waits();
    if (turns === null) await this.#restart();
    return {
      answer,
      ...waits,
      turn: turns?.turnMs ?? waits.longest,
      residentBytes: turns?.residentBytes ?? 0,
      grownBytes: turns?.grownBytes ?? 0,
      budgetBytes: memoryBudget(operation.times, turns?.heapLimitBytes ?? this.heapMib * 2 ** 20),
      isDeath: turns === null,
    };
  }

  async close(): Promise<void> {
    this.sender.stop();
    await this.server.stop();
  }

  /** Waits until the effects of earlier trials have ended. */
  async #settle(): Promise<void> {
    for (let n = 0; n < MAX_ROUNDS; n++) {
      await pause(ROUND_MS);
      const [turns, { longest }] = await Promise.all([this.server.turns(), this.victims.waits()]);
      if (turns === null) await this.#restart();
      else if (turns.turnMs <= this.quiet.turn && longest <= 2 * this.quiet.longest) break;
    }
    await this.server.turns(true);
  }

  async #restart(): Promise<void> {
    await this.close();
    this.server = await startWatched(this.databaseUrl, this.heapMib);
    this.sender = await Sender.to(this.server.url, this.shares);
    this.victims.ask(this.server.url);
  }
}
