/** Floods of expensive work. */
import { randomUUID } from 'node:crypto';
import type { Attack } from './attack.js';
import { flood, onSockets, posts } from './flood.js';
import { post } from './requests.js';
import { text } from './seed.js';

const STAY_MS = 8_000;

/** The delay before clients disconnect without waiting for an answer, in milliseconds. */
const ABORT_AFTER_MS = 300;

/** An event in the middle of `branchy`. */
const MIDDLE = 1_000;

const SAVE = 'mutation Save($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
const CREATE = 'mutation Create($id: ID!) { createChat(input: { id: $id }) { __typename } }';
const DELETE = 'mutation Delete($id: ID!) { deleteChat(input: { chatId: $id, permanently: true }) { __typename } }';

const words = Array.from({ length: 32 }, (_, n) => `word${n}`).join(' ');

/** The same field with thirty aliases: the maximum. */
const often = (field: string) => `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: ${field}`).join(' ')} }`;

export const WORK_FLOODS: readonly Attack[] = [
  flood('searches of 32 words', (target) => {
    const query = often(
      `chat(id: "wordy") { search(query: "${words}", first: 1) { edges { node { rank snippet } } } }`,
    );
    return posts(target, [target.owner], 20, () => JSON.stringify({ query }));
  }),
  flood('requests that are closed after 0.3 s', async (target) => {
    const query = often('chat(id: "long") { activeBranch { chain(limit: 3000) { id siblingCount headOf { id } } } }');
    const body = JSON.stringify({ query });
    const signal = AbortSignal.timeout(ABORT_AFTER_MS);
    await Promise.all(Array.from({ length: 60 }, () => post(target, target.owner, body, signal)));
    return [];
  }),
  flood('big saves', async (target) => {
    const saves = target.people.slice(0, 10).map(async (headers) => {
      const id = randomUUID();
      const ask = (query: string, variables: object) => post(target, headers, JSON.stringify({ query, variables }));
      const messages = Array.from({ length: 50 }, () => ({ name: 'user', content: { text: text(7_500) } }));
      const outcomes = [await ask(CREATE, { id }), await ask(SAVE, { input: { chatId: id, messages } })];
      return [...outcomes, await ask(DELETE, { id })];
    });
    return (await Promise.all(saves)).flat();
  }),
  flood('saves that look for the last assistant', (target) => {
    const messages = Array.from({ length: 500 }, () => ({
      lazyId: 'LAST_ASSISTANT',
      name: 'user',
      content: { text: 'x' },
    }));
    const body = JSON.stringify({ query: SAVE, variables: { input: { chatId: 'long', messages } } });
    return posts(target, [target.owner], 4, () => body);
  }),
  flood('pings', (target) =>
    onSockets(target, { headers: target.owner, count: 5, stayMs: STAY_MS }, (socket) => {
      for (let n = 0; n < 10_000; n++) {
        socket.ping();
        socket.send('{"type":"ping"}');
      }
    }),
  ),
  flood('tokens of nested brackets', (target) => {
    const token = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const init = `{"type":"connection_init","payload":{"authorization":${token}}}`;
    return onSockets(target, { headers: target.address, count: 10, stayMs: 1_000 }, () => {}, init);
  }),
  flood('replays of a head from the middle', (target) => {
    const query = `subscription { branchHead(chatId: "branchy", after: ${MIDDLE}) { seq branch { name } head { id } } }`;
    return onSockets(target, { headers: target.owner, count: 10, stayMs: STAY_MS }, (socket) => {
      for (let id = 0; id < 50; id++) {
        socket.send(JSON.stringify({ type: 'subscribe', id: String(id), payload: { query } }));
      }
    });
  }),
];
