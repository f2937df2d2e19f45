/** Attacks within the documented limits that once stopped or blocked a server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../answer.js';
import { DEFAULT_HEAP_MIB } from '../server.js';
import type { SharedEnd, Shares } from '../shares.js';
import type { AttackClient } from './attack-client.js';
import { CREATE_SHARE, FORK, headOf, pageOf, PARENTS, SAVE, sharedPages, TEXTS } from './documents.js';

export interface KnownAttack {
  name: string;
  heapMib: number;
  /** The number of operations at once. */
  operations: number;
  /** @returns the answer of the server, in words */
  run(client: AttackClient, shares: Shares): Promise<string>;
}

/** The shares of the attacks: of the first messages of the chat `parts`. */
export const SHARED_ENDS: ReadonlyMap<string, SharedEnd> = new Map(
  [12, 60, 100, 110].map((count) => [`share-parts-${count}`, { chatId: 'parts', messageId: `parts-${count - 1}` }]),
);

/** Followers of a branch, and the time for their results in milliseconds. */
const FOLLOWERS = 100;
const FOLLOW_MS = 15_000;
const POLL_MS = 20;

/** The messages of a save: the maximum. */
const SAVED = 500;

const SMALL_HEAP_MIB = 512;

/** The default heap, and one operation. */
const one = { heapMib: DEFAULT_HEAP_MIB, operations: 1 };

export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  {
    ...one,
    name: 'a1 anonymous: 45 pages of a share of 12 messages, heap of 512 MiB',
    heapMib: SMALL_HEAP_MIB,
    run: async (client, shares) =>
      inWords(await client.postAnonymously(sharedPages(45, 'messages'), { t: shares.get('share-parts-12') })),
  },
  {
    ...one,
    name: 'a2 anonymous: 36 pages of a share of 100 messages',
    run: async (client, shares) =>
      inWords(
        await client.postAnonymously(sharedPages(36, 'messages(first:99)'), {
          t: shares.get('share-parts-100'),
        }),
      ),
  },
  {
    ...one,
    name: 'b1 45 parents of 1,000 messages',
    run: async (client) => inWords(await client.post(pageOf('long', 1_000, PARENTS))),
  },
  {
    ...one,
    name: 'b2 six at once of b1',
    operations: 6,
    run: async (client) => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => client.post(pageOf('long', 1_000, PARENTS))));
      return answers.map(inWords).join(', ');
    },
  },
  {
    ...one,
    name: 'c 45 texts of 60 large messages',
    run: async (client) => inWords(await client.post(pageOf('text', 60, TEXTS))),
  },
  {
    ...one,
    name: 'd1 createShare of 110 large messages',
    run: async (client) => inWords(await client.post(CREATE_SHARE, { i: { chatId: 'parts' } })),
  },
  {
    ...one,
    name: 'd2 a page of a share of 60 large messages',
    run: async (client, shares) =>
      inWords(await client.postAnonymously(sharedPages(1, 'messages(first:60)'), { t: shares.get('share-parts-60') })),
  },
  {
    ...one,
    name: 'd3 forkChat of a share of 110 large messages',
    run: async (client, shares) =>
      inWords(await client.post(FORK, { i: { shareToken: shares.get('share-parts-110') } })),
  },
  {
    ...one,
    name: 'd4 forkChat of a chat of 110 large messages',
    run: async (client) => inWords(await client.post(FORK, { i: { chatId: 'parts' } })),
  },
  {
    ...one,
    name: `e ${FOLLOWERS} followers with 45 parents, then a save of ${SAVED}`,
    operations: FOLLOWERS,
    run: async (client) => {
      const followers = await client.follow(FOLLOWERS, (n) => headOf(n, PARENTS));
      while (followers.results() < FOLLOWERS) await pause(POLL_MS);
      const messages = Array.from({ length: SAVED }, () => ({ name: 'user', content: { text: 'x' } }));
      const saved = inWords(await client.post(SAVE, { i: { chatId: 'followed', messages } }));
      await pause(FOLLOW_MS);
      return `save ${saved}, ${followers.results() - FOLLOWERS} of ${FOLLOWERS} results in ${FOLLOW_MS / 1_000} s`;
    },
  },
];

function inWords({ code, bytes }: Answer): string {
  return code ?? `data of ${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
