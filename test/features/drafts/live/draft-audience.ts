/** Followers of a draft, and checks that each received every chunk once and in order, and then the end. */
import { PATIENCE_MS } from '../../../support/patience.js';
import { LogFollower, type FollowerOptions, type EventReader } from '../../../support/server/log-follower.js';
import { chunkOf, type DraftKey } from './draft-writer.js';

export const FOLLOW_DRAFT = `subscription ($chatId: ID!, $id: ID!, $after: Int) {
  draft(chatId: $chatId, id: $id, after: $after) {
    __typename
    ... on DraftChunks { offset chunks length }
    ... on DraftStopping { requestedBy }
    ... on DraftFinished { message { id text } }
    ... on DraftAbandoned { length }
  }
}`;

export interface Update {
  __typename: string;
  offset?: number;
  chunks?: unknown[];
  length?: number;
  message?: { id: string; text: string };
}

/** A DraftAbandoned has a length, but adds no chunk. */
export const DRAFT_UPDATES: EventReader = {
  place: ({ __typename, length }: Update) => (__typename === 'DraftChunks' ? (length ?? null) : null),
  isLast: ({ __typename }: Update) => __typename === 'DraftFinished' || __typename === 'DraftDiscarded',
};

/**
 * Differences from all chunks up to a length, each once and in order, followed by their message; null if there are
 * none.
 */
export function differenceOf(
  { failure, received }: Pick<LogFollower, 'failure' | 'received'>,
  draft: DraftKey,
  expected: { length: number; text: string | null },
): string | null {
  if (failure !== null) return failure.message;
  const updates = received.map((json) => JSON.parse(json) as Update);
  const chunks: unknown[] = [];
  for (const update of updates) {
    if (update.__typename !== 'DraftChunks') continue;
    if (update.offset !== chunks.length) return `has got ${chunks.length} chunks, and then those from ${update.offset}`;
    chunks.push(...(update.chunks ?? []));
    if (update.length !== chunks.length)
      return `has got ${chunks.length} chunks, and is told that there are ${update.length}`;
  }
  const wrong = chunks.findIndex((chunk, n) => JSON.stringify(chunk) !== JSON.stringify(chunkOf(draft, n)));
  if (wrong !== -1) return `has got ${JSON.stringify(chunks[wrong])} as chunk ${wrong}`;
  if (chunks.length !== expected.length) return `has got ${chunks.length} chunks of ${expected.length}`;
  const ends = updates.filter(DRAFT_UPDATES.isLast as (update: Update) => boolean);
  if (expected.text === null) return ends.length === 0 ? null : `was told of an end: ${ends[0]?.__typename}`;
  const [end] = ends;
  if (ends.length !== 1 || end !== updates.at(-1)) return `was told of ${ends.length} ends`;
  const isRight = end?.message?.id === draft.id && end.message.text === expected.text;
  return isRight ? null : `was told at the end ${JSON.stringify(end)}`;
}

/** Options of followers; by default, they use different transports. */
export type DraftWay = Pick<FollowerOptions, 'urls' | 'pingMs' | 'headers'> &
  Partial<Pick<FollowerOptions, 'transport'>>;

export class DraftAudience {
  readonly followers: LogFollower[] = [];

  constructor(
    private readonly draft: DraftKey,
    private readonly ways: readonly DraftWay[],
  ) {}

  /** Adds a follower without chunks. @param n a unique number */
  join(n: number): void {
    const way = this.ways[n % this.ways.length]!;
    const transport = way.pingMs === undefined && n % 3 === 0 ? ('stream' as const) : ('websocket' as const);
    const { chatId, id } = this.draft;
    const name = `follower ${n} of ${id}, ${transport}`;
    const options = {
      name,
      transport,
      query: FOLLOW_DRAFT,
      events: DRAFT_UPDATES,
      variables: { chatId, id },
      after: 0,
    };
    this.followers.push(new LogFollower({ ...options, ...way }));
  }

  /**
   * Waits until all followers have received everything.
   * @param expected the chunks of each draft; text is null for a draft that does not end
   * @param patienceMs the time after which missing chunks count as lost
   * @returns the missing chunks of each follower, as sentences
   */
  async check(expected: { length: number; text: string | null }, patienceMs = PATIENCE_MS): Promise<string[]> {
    await inTime(
      this.followers.map((follower) => (expected.text === null ? follower.reached(expected.length) : follower.ended)),
      patienceMs,
    );
    return this.followers.flatMap((follower) => {
      const difference = differenceOf(follower, this.draft, expected);
      return difference === null ? [] : [`${follower.options.name}: ${difference}`];
    });
  }

  async leave(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.stop()));
  }
}

/** Settles when all promises have settled, or at the time limit. */
async function inTime(all: Promise<unknown>[], patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)));
  await Promise.race([Promise.all(all), late]);
  clearTimeout(timer);
}
