/** A database that becomes unavailable while a server runs, and recovers. */
import type { GraphQLFormattedError } from 'graphql';
import { expect, it } from 'vitest';
import { postJson } from '../../support/server/http-client.js';
import { startConfigured, type ConfiguredServer } from '../../support/server/configured-server.js';
import { isThorough } from '../../support/effort.js';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { startProxy } from '../../support/server/tcp-proxy.js';

const SAVE = `mutation ($id: ID!) {
  saveMessages(input: { chatId: "c", messages: [{ id: $id, name: "user", content: { text: "kept" } }] }) {
    __typename
  }
}`;
const CREATE_TOKEN = `mutation {
  createAccessToken(input: { name: "script" }) { ... on AccessTokenPayload { accessToken { token } } }
}`;
const READ = '{ chat(id: "c") { activeBranch { chain { id } } } }';

/** A way to make a database unavailable, and to restore it. */
interface Outage {
  url: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

const OUTAGES: Record<string, () => Promise<Outage>> = {
  async 'is stopped'() {
    const { url, stop, start } = await startOwnPostgresql();
    return { url, begin: stop, end: start };
  },
  async 'is frozen'() {
    const { url, freeze, thaw } = await startOwnPostgresql();
    return { url, begin: freeze, end: async () => thaw() };
  },
  async 'is reached through a network that drops all data'() {
    const url = new URL((await startOwnPostgresql()).url);
    const { port, swallow, restore } = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(port);
    return { url: url.href, begin: async () => swallow(), end: async () => restore() };
  },
};

const health = async (server: ConfiguredServer, which: 'live' | 'ready') =>
  (await fetch(new URL(`/health/${which}`, server.url))).status;

/** Polls until the server is ready again. */
async function becomesReady(server: ConfiguredServer): Promise<void> {
  while ((await health(server, 'ready')) !== 200) await new Promise(setImmediate);
}

const codes = (errors: readonly GraphQLFormattedError[] | undefined) =>
  errors?.map((error) => error.extensions?.['code'] ?? error.message);
const UNAVAILABLE = ['DATABASE_UNAVAILABLE'];

// The detection of the other two takes a timeout of seconds.
const TRIED = Object.entries(OUTAGES).filter(([how]) => isThorough || how === 'is stopped');

it.each(TRIED)('a database that %s: every operation fails, and succeeds after the recovery', async (_, prepare) => {
  const { url, begin, end } = await prepare();
  const server = await startConfigured({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
  await server.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  const { data: created } = await server.post(CREATE_TOKEN);
  const { token } = (created as { createAccessToken: { accessToken: { token: string } } }).createAccessToken
    .accessToken;
  const saved: string[] = [];
  const save = async (id: string) => {
    const { data, errors } = await server.post(SAVE, { id });
    if (errors === undefined) {
      expect(data).toEqual({ saveMessages: { __typename: 'SaveMessagesPayload' } });
      saved.push(id);
    } else expect(codes(errors)).toEqual(UNAVAILABLE);
  };

  await save('before');
  expect(await health(server, 'ready')).toBe(200);

  // Some requests are running when the outage begins, and some start after it.
  const under = Array.from({ length: 50 }, (_, n) => save(`under-${n}`));
  await begin();
  // Sent at the same time as requests that wait until the time limit.
  const [read, ready] = await Promise.all([server.post(READ), health(server, 'ready'), save('after'), ...under]);
  expect(codes(read.errors)).toEqual(UNAVAILABLE);
  expect(ready).toBe(503);
  expect(saved).not.toContain('after');
  expect(await health(server, 'live')).toBe(200);
  const refused = await postJson(server.url, { query: READ }, { authorization: `Bearer ${token}` });
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { errors: [{ extensions: { code: 'AUTHENTICATION_UNAVAILABLE' } }] },
  ]);

  await end();
  await becomesReady(server);
  await save('back');
  expect(saved).toContain('back');
  const { data } = await server.post(READ);
  const chain = (data as { chat: { activeBranch: { chain: { id: string }[] } } }).chat.activeBranch.chain;
  // Unacknowledged saves may have been saved, too; no acknowledged save is lost.
  expect(chain.map((message) => message.id)).toEqual(expect.arrayContaining(saved));
});
