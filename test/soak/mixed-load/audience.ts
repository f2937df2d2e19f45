/** Followers of a chat, and checks that each received every event once and in order. */
import { LogFollower } from '../../support/server/log-follower.js';
import { EVENTS, HEAD } from './documents.js';
import type { Counters } from './counters.js';
import type { Headers } from './users.js';
import type { Way } from './scene.js';

/** The wait for the last events, in milliseconds: longer than any fault. */
const PATIENCE_MS = 90_000;

export class Audience {
  readonly followers: LogFollower[];

  constructor(chatId: string, headers: Headers, ways: readonly Way[]) {
    this.followers = ways.map(({ isHead, ...way }, n) => {
      const name = `${isHead ? 'head' : 'events'} of ${chatId}, ${way.transport} ${n}`;
      return new LogFollower({ ...way, name, query: isHead ? HEAD : EVENTS, variables: { chatId }, headers, after: 0 });
    });
  }

  /** Waits until all followers have received the last version and a head; notes missing events. */
  async check(version: number, counters: Counters): Promise<void> {
    await inTime(Promise.all(this.followers.map((follower) => follower.reached(version))));
    for (const { failure, received, options } of this.followers) {
      const seqs = received.map((json) => (JSON.parse(json) as { seq: number }).seq);
      counters.events += seqs.length;
      const isGapless = options.query === HEAD ? isRising(seqs) : seqs.every((seq, n) => seq === n + 1);
      if (failure !== null) counters.noteGap(failure.message);
      else if (!isGapless || seqs.at(-1) !== version)
        counters.noteGap(`${options.name}: expected events up to ${version}, got ${seqs.join(' ')}`);
    }
  }

  /** Waits until the followers of the events have received the deletion of the chat, which had this version. */
  async checkEnd(version: number, counters: Counters): Promise<void> {
    const followers = this.followers.filter(({ options }) => options.query === EVENTS);
    await inTime(Promise.all(followers.map((follower) => follower.reached(version + 1))));
    for (const { received, options } of followers) {
      if (!received.at(-1)?.includes('"ChatDeleted"')) counters.noteGap(`${options.name}: no event of the deletion`);
    }
  }

  /** Closes the connection of one follower. */
  cutOne(): void {
    this.followers[Math.floor(Math.random() * this.followers.length)]?.cut();
  }

  async leave(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.stop()));
  }
}

function isRising(seqs: readonly number[]): boolean {
  return seqs.every((seq, n) => n === 0 || seq > seqs[n - 1]!);
}

/** Settles when everything has arrived or the time is over. */
async function inTime(all: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([all, new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)))]);
  clearTimeout(timer);
}
