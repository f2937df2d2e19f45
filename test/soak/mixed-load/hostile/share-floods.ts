/** The known attacks of `npm run fuzz -- cost`, of a size for a small heap: large messages, shares, forks and followers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CREATE_SHARE,
  FORK,
  headOf,
  pageOf,
  PARENTS,
  SAVE,
  sharedPages,
  TEXTS,
} from '../../../fuzz/cost/known-attacks/documents.js';
import type { Attack, Target } from './attack.js';
import { flood, posts } from './flood.js';
import { post } from './requests.js';
import { LARGE_MESSAGES } from './seed.js';
import { open } from './sockets.js';

/** Followers of a branch on sockets: more than these with expensive selections exceed the rate limit of a user. */
const FOLLOWERS = 100;
const EXPENSIVE_FOLLOWERS = 4;
const SOCKETS = 5;
const STAY_MS = 10_000;
const SAVED = 500;

const REVOKE = 'mutation($i:RevokeShareInput!){revokeShare(input:$i){__typename}}';
const DELETE = 'mutation($i:DeleteChatInput!){deleteChat(input:$i){__typename}}';

const bodyOf = (query: string, i?: object) => JSON.stringify({ query, variables: { i } });

/** A new share of the chat `parts`. Null if the server refuses it. */
async function share({ url, owner }: Target): Promise<{ id: string; token: string } | null> {
  const headers = { 'content-type': 'application/json', ...owner };
  const body = bodyOf(CREATE_SHARE, { chatId: 'parts' });
  const text = await fetch(url, { method: 'POST', headers, body }).then(
    (response) => response.text(),
    () => '',
  );
  const found = /"id":"([^"]+)","token":"([^"]+)"/.exec(text);
  return found === null ? null : { id: found[1]!, token: found[2]! };
}

/** Runs with a share that is revoked afterwards: a chat can have 100. */
async function withShare(target: Target, run: (token: string) => Promise<string[]>): Promise<string[]> {
  const created = await share(target);
  if (created === null) return [];
  const codes = await run(created.token);
  return [...codes, await post(target, target.owner, bodyOf(REVOKE, { id: created.id }))];
}

/** Without a token. */
const read = (target: Target, count: number, page: string) => (t: string) => {
  const body = JSON.stringify({ query: sharedPages(count, page), variables: { t } });
  return post(target, target.address, body).then((code) => [code]);
};

async function followThenSave(target: Target): Promise<string[]> {
  const sockets = Array.from({ length: SOCKETS }, () => open(target, target.owner));
  for (const [place, socket] of sockets.entries()) {
    socket
      .once('open', () => socket.send('{"type":"connection_init"}'))
      .once('message', () => {
        for (let n = place; n < FOLLOWERS; n += SOCKETS) {
          const query = headOf(n, n < EXPENSIVE_FOLLOWERS ? PARENTS : TEXTS);
          socket.send(JSON.stringify({ id: String(n), type: 'subscribe', payload: { query } }));
        }
      });
  }
  await pause(STAY_MS / 2);
  const messages = Array.from({ length: SAVED }, () => ({ name: 'user', content: { text: 'x' } }));
  const code = await post(target, target.owner, bodyOf(SAVE, { chatId: 'followed', messages }));
  await pause(STAY_MS);
  for (const socket of sockets) socket.terminate();
  return [code];
}

export const SHARE_FLOODS: readonly Attack[] = [
  flood('45 pages of a share, without a token', (target) => withShare(target, read(target, 45, 'messages'))),
  flood('a page of a share of large messages', (target) => withShare(target, read(target, 1, 'messages(first:99)'))),
  flood('45 parents of 1,000 messages', async (target) => [
    await post(target, target.owner, bodyOf(pageOf('long', 1_000, PARENTS))),
  ]),
  flood('45 parents of 100 messages, twenty at once', (target) => {
    const body = bodyOf(pageOf('long', 100, PARENTS));
    return posts(target, [target.owner], 20, () => body);
  }),
  flood('45 texts of large messages', async (target) => [
    await post(target, target.owner, bodyOf(pageOf('parts', LARGE_MESSAGES, TEXTS))),
  ]),
  flood('a fork of a share of large messages', (target) =>
    withShare(target, async (shareToken) => {
      const id = randomUUID();
      const code = await post(target, target.owner, bodyOf(FORK, { shareToken, id }));
      return [code, await post(target, target.owner, bodyOf(DELETE, { chatId: id, permanently: true }))];
    }),
  ),
  flood('100 followers, then a save of 500 messages', followThenSave),
];
