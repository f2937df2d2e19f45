/** Attacks within the documented limits that once stopped or blocked a server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../answer.js';
import { DEFAULT_HEAP_MIB } from '../server.js';
import type { SharedEnd, Shares } from '../shares.js';
import type { AttackClient } from './attack-client.js';

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

/** The same field under several names: the maximum is 50. */
function aliased(count: number, field: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}:${field}`).join(' ');
}

const SHARED = `fragment M on SharedMessageConnection{edges{node{data}}}`;
const shared = (page: string) => `query($t:String!){shared(token:$t){${page}}}${SHARED}`;
const PARENTS = `{chat(id:"long"){activeBranch{messages(first:1000){edges{node{${aliased(45, 'parent{id parent{text}}')}}}}}}}`;
const TEXTS = `{chat(id:"text"){activeBranch{messages(first:60){edges{node{${aliased(45, 'text')}}}}}}}`;

const CREATE_SHARE =
  'mutation($i:CreateShareInput!){createShare(input:$i){... on SharePayload{share{token}} ... on Error{code}}}';
const FORK = 'mutation($i:ForkChatInput!){forkChat(input:$i){... on ForkChatPayload{chat{id}} ... on Error{code}}}';
const SAVE = 'mutation($i:SaveMessagesInput!){saveMessages(input:$i){__typename}}';

const one = { heapMib: DEFAULT_HEAP_MIB, operations: 1 };

export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  {
    ...one,
    name: 'a1 anonymous: 45 pages of a share of 12 messages, heap of 512 MiB',
    heapMib: SMALL_HEAP_MIB,
    run: async (client, shares) =>
      inWords(await client.postAnonymously(shared(aliased(45, 'messages{...M}')), { t: shares.get('share-parts-12') })),
  },
  {
    ...one,
    name: 'a2 anonymous: 36 pages of a share of 100 messages',
    run: async (client, shares) =>
      inWords(
        await client.postAnonymously(shared(aliased(36, 'messages(first:99){...M}')), {
          t: shares.get('share-parts-100'),
        }),
      ),
  },
  { ...one, name: 'b1 45 parents of 1,000 messages', run: async (client) => inWords(await client.post(PARENTS)) },
  {
    ...one,
    name: 'b2 six at once of b1',
    operations: 6,
    run: async (client) => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => client.post(PARENTS)));
      return answers.map(inWords).join(', ');
    },
  },
  { ...one, name: 'c 45 texts of 60 large messages', run: async (client) => inWords(await client.post(TEXTS)) },
  {
    ...one,
    name: 'd1 createShare of 110 large messages',
    run: async (client) => inWords(await client.post(CREATE_SHARE, { i: { chatId: 'parts' } })),
  },
  {
    ...one,
    name: 'd2 a page of a share of 60 large messages',
    run: async (client, shares) =>
      inWords(await client.postAnonymously(shared('messages(first:60){...M}'), { t: shares.get('share-parts-60') })),
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
      const selection = aliased(45, 'parent{id parent{text}}');
      const followers = await client.follow(
        FOLLOWERS,
        `subscription{branchHead(chatId:"followed"){seq appended{${selection}}}}`,
      );
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
