/** Users that write at a bounded rate: each has one chat at a time and deletes old ones, so that the data stays bounded. */
import { setTimeout as pause } from 'node:timers/promises';
import { Audience } from './audience.js';
import { Client } from './client.js';
import { Conversation } from './conversation.js';
import { DraftTraffic } from './draft-traffic.js';
import type { Counters } from './counters.js';
import { userAt } from './users.js';
import type { Site } from './scene.js';

/** Writers at each database, and the interval of their operations, in milliseconds. */
const WRITERS = 6;
const PACE_MS = 400;

/** Operations on a chat, and the number of chats of a writer before the oldest is deleted. */
const STEPS_OF_CHAT = 40;
const KEPT_CHATS = 5;

/** The interval at which a follower of a chat loses its connection, in steps. */
const STEPS_TO_CUT = 15;

export class Load {
  readonly #audiences = new Set<Audience>();
  readonly #draftTraffic = new Set<DraftTraffic>();
  readonly #runs: Promise<void>[] = [];
  #isOver = false;

  constructor(
    private readonly sites: readonly Site[],
    private readonly counters: Counters,
  ) {}

  start(): void {
    for (const [s, site] of this.sites.entries()) {
      for (let n = 0; n < WRITERS; n++) this.#runs.push(this.#write(site, s * WRITERS + n));
    }
  }

  /** Closes the connections of all followers. */
  cutAll(): void {
    for (const { followers } of this.#audiences) for (const follower of followers) follower.cut();
    for (const traffic of this.#draftTraffic) traffic.cut();
  }

  /** Ends all writers after their current operation. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#runs);
  }

  async #write(site: Site, n: number): Promise<void> {
    const place = site.places[n % site.places.length]!;
    const client = new Client(place, await userAt(n, `writer-${n}`), this.counters);
    // An admin: frequent reconnections must not use the writer's rate limit.
    const follower = await userAt(100 + n, `follower-${n}`, { isAdmin: true });
    const kept: Conversation[] = [];
    for (let count = 0; !this.#isOver; count++) {
      const chat = new Conversation(`w${n}-${count}`, client);
      await chat.begin();
      const audience = new Audience(chat.id, follower, site.ways);
      this.#audiences.add(audience);
      const traffic = new DraftTraffic(chat.id, client, { headers: follower, ways: site.ways }, this.counters);
      this.#draftTraffic.add(traffic);
      traffic.start();
      for (let step = 1; step <= STEPS_OF_CHAT && !this.#hasEnded(); step++) {
        const next = pause(PACE_MS * (0.5 + Math.random()));
        await chat.step();
        if (step % STEPS_TO_CUT === 0) {
          audience.cutOne();
          traffic.cut();
        }
        await next;
      }
      this.#draftTraffic.delete(traffic);
      await traffic.stop();
      const version = await chat.save();
      if (version !== null) await audience.check(version, this.counters);
      // Sometimes a chat is deleted while it is followed.
      if (count % 3 === 0 && version !== null) {
        await chat.remove();
        await audience.checkEnd(version, this.counters);
      } else kept.push(chat);
      this.#audiences.delete(audience);
      await audience.leave();
      if (kept.length > KEPT_CHATS) await kept.shift()!.remove();
    }
  }

  #hasEnded(): boolean {
    return this.#isOver;
  }
}
