/** Followers of all kinds; checks that each receives everything once and in order. */
import { PATIENCE_MS } from '../../support/patience.js';
import { LogFollower, type FollowerOptions } from '../../support/server/log-follower.js';
import { HeadReplay } from './head-replay.js';
import { FollowEvents, FollowHead, LogReader, type FollowedEvent, type Run } from './subscriptions.js';
import { PERMANENT_BRANCHES } from './writers.js';

type Followed = 'events' | 'active branch' | (typeof PERMANENT_BRANCHES)[number];

const FOLLOWED: readonly Followed[] = ['events', 'active branch', 'events', ...PERMANENT_BRANCHES];

interface Place {
  chatId: string;
  followed: Followed;
  follower: LogFollower;
  /** The last seq compared; null for a follower that began with the present state and has not been compared. */
  checked: number | null;
}

/** A chat, as replayed from its log. */
interface Chat {
  reader: LogReader;
  heads: HeadReplay;
}

export class Crowd {
  readonly #places: Place[] = [];
  readonly #chats: Map<string, Chat>;

  /** @param ways connection options, assigned to followers in turn */
  constructor(count: number, chatIds: readonly string[], ways: readonly Pick<FollowerOptions, 'urls' | 'pingMs'>[]) {
    this.#chats = new Map(chatIds.map((id) => [id, { reader: new LogReader(id), heads: new HeadReplay() }]));
    for (let n = 0; n < count; n++) {
      // Different periods, so that all combinations occur.
      const chatId = inTurn(chatIds, n);
      const followed = inTurn(FOLLOWED, n / 4);
      const way = inTurn(ways, n / 3);
      const after = inTurn([null, 0, 0], n / 7);
      const transport =
        way.pingMs === undefined ? inTurn(['websocket', 'websocket', 'stream'] as const, n / 5) : 'websocket';
      const name = `follower ${n} (${followed} of ${chatId}, ${transport}, ${after === null ? 'from now on' : 'all'})`;
      const query = (followed === 'events' ? FollowEvents : FollowHead).toString();
      const branch = followed === 'events' || followed === 'active branch' ? null : followed;
      const variables = followed === 'events' ? { chatId } : { chatId, branch };
      const follower = new LogFollower({ name, transport, query, variables, after, ...way });
      this.#places.push({ chatId, followed, follower, checked: after });
    }
  }

  get followers(): LogFollower[] {
    return this.#places.map(({ follower }) => follower);
  }

  /** Whether all followers from the present have received an update. @throws Error if one has failed */
  get hasBegun(): boolean {
    const failed = this.followers.find(({ failure }) => failure !== null);
    if (failed?.failure) throw failed.failure;
    return this.followers.every(({ position }) => position !== null);
  }

  get reconnects(): number {
    return this.followers.reduce((sum, { reconnects }) => sum + reconnects, 0);
  }

  /**
   * Waits until all followers have reached the end of the logs, which do not grow meanwhile, and compares.
   * @returns the number of received updates, and the missing updates of each follower
   */
  async check(run: Run): Promise<{ events: number; deliveries: number; differences: string[] }> {
    const differences: string[] = [];
    let [events, deliveries] = [0, 0];
    for (const [chatId, { reader, heads }] of this.#chats) {
      const log = await reader.read(run);
      const here = this.#places.filter((place) => place.chatId === chatId);
      const expected = expectedOf(log, heads, here);
      await this.#whileEventsArrive(here.map((place, n) => place.follower.reached(seqOf(expected[n]?.at(-1)))));
      for (const [n, place] of here.entries()) {
        const { follower } = place;
        const received = follower.received;
        follower.received = [];
        deliveries += received.length;
        const difference = follower.failure?.message ?? firstDifference(received, expected[n] ?? []);
        if (difference !== null) differences.push(`${follower.options.name}: ${difference}`);
        place.checked = follower.position;
      }
      events += log.length;
    }
    return { events, deliveries, differences };
  }

  /** Settles when all promises have settled, or when no follower receives anything more. */
  async #whileEventsArrive(all: Promise<unknown>[]): Promise<void> {
    const received = () => this.followers.reduce((sum, follower) => sum + follower.received.length, 0);
    let before = received();
    let silence: NodeJS.Timeout | undefined;
    const isSilent = new Promise<void>((resolve) => {
      silence = setInterval(() => {
        const now = received();
        if (now === before) resolve();
        before = now;
      }, PATIENCE_MS);
    });
    await Promise.race([Promise.all(all), isSilent]);
    clearInterval(silence);
  }

  async stop(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.stop()));
  }
}

/** The updates that each follower of a chat must have received, as JSON, from the new part of the log. */
function expectedOf(log: readonly FollowedEvent[], heads: HeadReplay, places: readonly Place[]): string[][] {
  const first = places.map(({ checked, follower }) => (checked === null ? seqOf(follower.received[0]) : checked));
  /** The first updates of new followers of a branch, taken during the replay of the log. */
  const presents = new Map<number, string>();
  const whole: { [followed in Followed]: { seq: number; json: string }[] } = {
    events: log.map((event) => ({ seq: event.seq, json: JSON.stringify(event) })),
    'active branch': [],
    main: [],
    side: [],
  };
  for (const event of log) {
    const { active, named } = heads.replay([event]);
    whole['active branch'].push(...active.map(withJson));
    for (const name of PERMANENT_BRANCHES) whole[name].push(...(named.get(name) ?? []).map(withJson));
    for (const [n, { checked, followed }] of places.entries()) {
      if (checked !== null || followed === 'events' || first[n] !== event.seq) continue;
      presents.set(n, JSON.stringify(heads.present(event.seq, followed === 'active branch' ? null : followed)));
    }
  }
  return places.map(({ checked, followed }, n) => {
    const begins = first[n] ?? 0;
    const isNew = checked === null && followed === 'events';
    const updates = whole[followed]
      .filter(({ seq }) => seq > begins || (isNew && seq === begins))
      .map(({ json }) => json);
    const present = presents.get(n);
    return present === undefined ? updates : [present, ...updates];
  });
}

function inTurn<T>(choices: readonly T[], n: number): T {
  return choices[Math.floor(n) % choices.length] as T;
}

function withJson<T extends { seq: number }>(value: T): { seq: number; json: string } {
  return { seq: value.seq, json: JSON.stringify(value) };
}

function seqOf(json: string | undefined): number {
  return json === undefined ? 0 : (JSON.parse(json) as { seq: number }).seq;
}

function firstDifference(received: readonly string[], expected: readonly string[]): string | null {
  const length = Math.max(received.length, expected.length);
  for (let n = 0; n < length; n++) {
    if (received[n] === expected[n]) continue;
    const counts = `${received.length} of ${expected.length}`;
    return `has got ${counts}, and as its ${n + 1}th ${received[n] ?? 'nothing'} instead of ${expected[n] ?? 'nothing'}`;
  }
  return null;
}
