/** READ_DATABASE_URL with a hot standby of PostgreSQL. */
import pg from 'pg';
import sql from 'sql-template-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayCheck } from '../../../src/features/replicas/positions.js';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import {
  ask,
  createChat,
  pauseReplay,
  save,
  SETTINGS,
  startReading,
  startReplicated,
  type Replicated,
  type ReplicatedServer,
} from './replicated-server.js';

const ends: (() => Promise<void>)[] = [];
let servers: Replicated;
beforeAll(async () => {
  servers = await startReplicated((end) => ends.push(end));
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const start = async (settings = {}) => {
  const server = await startReading(servers, [servers.standby], settings);
  await expect.poll(server.states).toEqual(['usable']);
  return server;
};
let chats = 0;
const newChat = async (server: ReplicatedServer, texts = ['first', 'second'], userId?: string) => {
  const id = `chat-${++chats}`;
  await createChat(server, id, texts, userId);
  return id;
};
const pageOf = (id: string) =>
  `{ chat(id: "${id}") { activeBranch { messages(last: 50) { edges { node { preview } } } } } }`;
interface Page {
  chat: { activeBranch: { messages: { edges: { node: { preview: string } }[] } } };
}
const textsOf = async (server: ReplicatedServer, id: string, userId?: string) => {
  const { chat } = await server.data<Page>(pageOf(id), { userId });
  return chat.activeBranch.messages.edges.map(({ node }) => node.preview);
};

describe('a usable replica', () => {
  it('runs the reads of chains, graphs, lists, searches and exports once it has replayed the chat', async () => {
    const server = await start();
    const id = await newChat(server, ['a sparrow', 'a wren']);
    const reads: Record<string, () => Promise<unknown>> = {
      page: () => server.data(pageOf(id)),
      chain: () => server.data(`{ chat(id: "${id}") { activeBranch { head { chain { id } } } } }`),
      graph: () => server.data(`{ chat(id: "${id}") { graph { nodes { id } } } }`),
      outline: () => server.data(`{ chat(id: "${id}") { outline { segments { length } } } }`),
      list: () => server.data('{ chats(first: 20) { edges { node { id messageCount } } } }'),
      search: () => server.data('{ search(query: "sparrow") { edges { node { snippet } } } }'),
      export: async () => (await server.get(`/export?chatId=${id}`)).text(),
    };
    for (const [name, read] of Object.entries(reads)) {
      await expect
        .poll(async () => {
          const { replica, primary } = await server.readsOf(read);
          return { name, isReplica: replica > 0, primary };
        })
        .toEqual({ name, isReplica: true, primary: 0 });
    }
  });

  it('runs no reads of mutations, and none that decide on access', async () => {
    const server = await start();
    const id = await newChat(server);
    expect(await server.readsOf(() => save(server, id, 'third'))).toEqual({ replica: 0, primary: 0 });
    expect(await server.readsOf(() => server.data(`{ chat(id: "${id}") { title } }`))).toEqual({
      replica: 0,
      primary: 0,
    });
  });

  it('cancels a statement at the end of its operation, as the primary does', async () => {
    const server = await start({ QUERY_TIMEOUT_MS: '500' });
    const id = await newChat(server);
    await expect.poll(() => server.readsOf(() => textsOf(server, id))).toMatchObject({ primary: 0 });
    // The lock is replayed: readers of the standby wait for its end, while the primary's readers of chats do not.
    const holder = new pg.Client(servers.primary.url);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE; SELECT pg_log_standby_snapshot()');
    await expect
      .poll(() => ask(servers.standby, sql`SELECT FROM pg_locks WHERE relation = 'messages'::regclass AND granted`))
      .toHaveLength(1);
    await expect(textsOf(server, id)).rejects.toThrow('TIMEOUT');
    await expect
      .poll(() => ask(servers.standby, sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`))
      .toEqual([]);
    await holder.query('ROLLBACK');
    await holder.end();
    await expect.poll(() => textsOf(server, id)).toEqual(['first', 'second']);
  });
});

describe('a replica whose replay is paused', () => {
  it('hides no message from the client that saved it, through any server, and is skipped until it has caught up', async () => {
    const [server, other] = [await start(), await start()];
    const [id, unchanged] = [await newChat(server), await newChat(server)];
    await pauseReplay(servers.standby);
    await save(server, id, 'third');
    for (const each of [server, other]) {
      expect(await textsOf(each, id)).toEqual(['first', 'second', 'third']);
      expect(await textsOf(each, unchanged)).toEqual(['first', 'second']);
    }
    const created = await newChat(server, ['a kestrel']);
    for (const each of [server, other]) {
      expect(await each.data('{ chats(first: 1) { edges { node { id } } } }')).toEqual({
        chats: { edges: [{ node: { id: created } }] },
      });
      expect(await each.data('{ search(query: "kestrel") { edges { node { message { preview } } } } }')).toEqual({
        search: { edges: [{ node: { message: { preview: 'a kestrel' } } }] },
      });
      expect(await (await each.get(`/export?chatId=${created}`)).text()).toContain('a kestrel');
    }
    await expect.poll(server.states).toEqual(['lagging']);
    expect(await server.readsOf(() => textsOf(server, unchanged))).toMatchObject({ replica: 0 });
    await ask(servers.standby, sql`SELECT pg_wal_replay_resume()`);
    await expect.poll(server.states).toEqual(['usable']);
    await expect.poll(() => server.readsOf(() => textsOf(server, id))).toMatchObject({ primary: 0 });
    const logged = [...server.log().matchAll(/The replica .* is (lagging|usable)/g)].map(([, state]) => state);
    expect(logged.slice(-2)).toEqual(['lagging', 'usable']);
    expect(logged.filter((state, n) => state === logged[n - 1])).toEqual([]);
  });

  it('is behind for reads of changed chats and of lists only', async () => {
    const server = await start();
    const [id, unchanged] = [await newChat(server), await newChat(server)];
    await expect.poll(() => server.readsOf(() => textsOf(server, unchanged))).toMatchObject({ primary: 0 });
    await pauseReplay(servers.standby);
    await save(server, id, 'third');
    const versions = await ask<{ id: string; version: number }>(
      servers.primary,
      sql`SELECT id, version FROM chats WHERE id IN (${id}, ${unchanged})`,
    );
    const versionOf = new Map(versions.map((chat) => [chat.id, chat.version]));
    const [now] = await ask<{ at: string }>(servers.primary, sql`SELECT pg_current_wal_insert_lsn()::text AS at`);
    const hasReplayed = async (position: string | null, chatIds: string[]) => {
      const required = new Map(chatIds.map((chatId) => [chatId, versionOf.get(chatId)!]));
      return ask(servers.standby, replayCheck(position, required));
    };
    expect(await hasReplayed(null, [unchanged])).toEqual([{ isReplayed: true }]);
    expect(await hasReplayed(null, [unchanged, id])).toEqual([{ isReplayed: false }]);
    expect(await hasReplayed(now!.at, [])).toEqual([{ isReplayed: false }]);
  });

  it('does not show a chat to a removed member', async () => {
    const server = await start();
    const id = await newChat(server, ['a heron'], 'ada');
    await server.data(`mutation { addMember(input: { chatId: "${id}", userId: "bob", role: READER }) { __typename } }`);
    const shared = '{ chats(filter: { includeShared: true }) { edges { node { id } } } }';
    const views = async () => [
      (await server.data<Page>(pageOf(id), { userId: 'bob' })).chat,
      (await server.data<{ chats: { edges: unknown[] } }>(shared, { userId: 'bob' })).chats.edges.length,
      (await server.get(`/export?chatId=${id}`, 'bob')).status,
    ];
    expect(await views()).toEqual([expect.anything(), 1, 200]);
    await pauseReplay(servers.standby);
    await server.data(`mutation { removeMember(input: { chatId: "${id}", userId: "bob" }) { __typename } }`);
    expect(await views()).toEqual([null, 0, 404]);
  });
});

describe('a replica that stops', () => {
  it('interrupts no export and no page, and is used again when it is back', async () => {
    const server = await start();
    const id = await newChat(server, []);
    const message = { name: 'user', content: { text: 'x'.repeat(2_000) } };
    const input = { chatId: id, messages: Array.from({ length: 500 }, () => message) };
    for (let n = 0; n < 10; n++) {
      await server.data('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
        variables: { input },
      });
    }
    const whole = await (await server.get(`/export?chatId=${id}`)).text();
    const last = '{ activeBranch { messages(last: 50) { edges { node { id } } } } }';
    const page = () => server.data(`{ chat(id: "${id}") ${last} }`);
    await expect.poll(() => server.readsOf(page)).toMatchObject({ primary: 0 });
    const expected = await page();

    let isOver = false;
    const pages = Array.from({ length: 8 }, async () => {
      while (!isOver) expect(await page()).toEqual(expected);
    });
    const reader = (await server.get(`/export?chatId=${id}`)).body!.getReader();
    const chunks = [(await reader.read()).value!];
    await servers.standby.kill();
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    expect(Buffer.concat(chunks).toString()).toBe(whole);
    await expect.poll(server.states).toEqual(['unreachable']);
    isOver = true;
    await Promise.all(pages);

    await servers.standby.start();
    await expect.poll(server.states).toEqual(['usable']);
    await expect.poll(() => server.readsOf(page)).toMatchObject({ primary: 0 });
  });

  it('delays no start', async () => {
    await servers.standby.stop();
    const server = await startReading(servers, [servers.standby]);
    expect(await server.states()).toEqual(['unreachable']);
    const id = await newChat(server);
    expect(await textsOf(server, id)).toEqual(['first', 'second']);
    await servers.standby.start();
    await expect.poll(server.states).toEqual(['usable']);
  });
});

describe('a server that is no replica', () => {
  it('is not used if it is the primary, or a standby of another one', async () => {
    const server = await startReading(servers, [servers.standby, servers.primary]);
    await expect.poll(server.states).toEqual(['usable', 'unusable']);
    expect(server.log()).toContain('it is not a standby');

    const primary = await startOwnPostgresql(SETTINGS);
    const stranger = await startReading({ primary }, [servers.standby]);
    await expect.poll(stranger.states).toEqual(['unusable']);
    expect(stranger.log()).toContain('it is not a standby of DATABASE_URL');
  });
});
