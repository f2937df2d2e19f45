/** Plans on tables that are large enough for indexes, with current statistics, and with those of other chats. */
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresqlSettings } from '../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../src/database/connection/database-url.js';
import { baseDialect } from '../../src/database/dialects/base/base-dialect.js';
import type { KeyKind } from '../../src/database/dialects/differences.js';
import { PREPARED, postgresqlDifferences } from '../../src/database/dialects/postgresql/differences.js';
import { postgresql } from '../../src/database/dialects/postgresql/postgresql.js';
import { postgresqlInShards } from '../../src/features/distribution/in-shards.js';
import { openDatabase } from '../../src/database/opening/open.js';
import { parseQuery } from '../../src/search/query.js';
import { writeDemoInto } from '../../src/features/demo/write-demo.js';
import { createServer } from '../../src/server.js';
import { changeEverything } from '../support/chats/every-change.js';
import { keyedStatements } from '../support/database/keyed-statements.js';
import { Snapshot } from '../support/chats/snapshot.js';
import { persistentDatabase } from '../support/database/temporary-database.js';

const CHATS = 2000;
/** The number of messages, branches and events of each chat. */
const EACH = 8;
/** The number of texts of the chat `large`. */
const LARGE = 2000;

/** New schemas: a used one has other statistics. */
const [database, young] = [persistentDatabase(), persistentDatabase()];
let client: pg.Client;
beforeAll(async () => {
  await (await openDatabase({ url: database.url, migrate: true })).store.close();
  client = await connectAs('parley plans');
  await fill();
});
afterAll(async () => {
  await client.end();
  await Promise.all([database.remove(), young.remove()]);
});

/** Sessions with a name, which distinguishes them from other tests. */
function urlAs(name: string, base = database.url): string {
  const url = new URL(base);
  url.searchParams.set('application_name', name);
  return url.href;
}

async function connectAs(name: string, base?: string): Promise<pg.Client> {
  const session = new pg.Client(postgresqlSettings(parseDatabaseUrl(urlAs(name, base)) as ServerUrl));
  await session.connect();
  return session;
}

async function fill(): Promise<void> {
  const filler = await connectAs('filler');
  await filler.query(`
    BEGIN;
    ${chatsWith({ prefix: 'c', chats: CHATS, each: EACH })}
    INSERT INTO chats VALUES ('large', 'u', NULL, '{}', 1, 1, 1);
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
      SELECT 'large-' || n, 'large', 'user', n, n, 3, ' all  t' || n || ' ' FROM generate_series(1, ${LARGE}) n;
    INSERT INTO deleted_chats SELECT 'd' || c, 'u' || c % 50, 9, 'u', ${Date.now()} + c FROM generate_series(1, ${CHATS}) c;
    COMMIT`);
  await filler.query(ANALYZE);
  await filler.end();
}

const ANALYZE =
  'ANALYZE chats, messages, branches, checkpoints, chat_events, message_texts, deleted_chats, drafts, draft_chunks';

/** Inserts chats with one chain each, whose events are not read. */
function chatsWith({ prefix, chats, each }: { prefix: string; chats: number; each: number }): string {
  return `
    CREATE TEMPORARY TABLE filler ON COMMIT DROP AS
      SELECT c, n, '${prefix}' || c AS chat, '${prefix}' || c || '-' || n AS id
      FROM generate_series(1, ${chats}) c, generate_series(1, ${each}) n;
    INSERT INTO chats SELECT '${prefix}' || c, 'u' || c % 50, NULL, '{}', c, c, ${each} FROM generate_series(1, ${chats}) c;
    INSERT INTO messages
      SELECT id, chat, CASE WHEN n > 1 THEN chat || '-' || n - 1 END, 'user', 'message', n, n - 1, n, 0,
        chat || '-1', id, repeat('x', 200), 'u' FROM filler ORDER BY c, n;
    INSERT INTO branches SELECT id, chat, 'b' || n, id, n = 1, n, n FROM filler;
    INSERT INTO checkpoints SELECT id, chat, 'p' || n, id, n, n FROM filler;
    INSERT INTO chat_events SELECT chat, n, 'ChatUpdated', 'u', '{}', n FROM filler;
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
      SELECT id, chat, 'user', n, n, 3, ' all  t' || c || '  t' || n || 'x' || c || ' ' FROM filler;
    INSERT INTO drafts ("id", "chatId", "branchId", "onConflict", "name", "idleTimeout", "startedBy", "startedAt", "updatedAt", "length", "bytes", "endedAt")
      SELECT id, chat, id, 'FORK', 'x', 60, 'u', n, c, 9, 99, CASE WHEN n % 2 = 0 THEN c END FROM filler;
    INSERT INTO draft_chunks ("draftId", "startOffset", "endOffset", "chunks") SELECT id, n - 1, n, '["x"]' FROM filler;`;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Loops'?: number;
  'Actual Rows'?: number;
  Plans?: Plan[];
}

/** The tables that a plan reads from one end to the other. */
function scansOf(plan: Plan): string[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  return plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name']!, ...below] : below;
}

/** The indexes of a plan, each with its number of used columns. */
function indexesOf(plan: Plan): string[] {
  const columns = new Set(plan['Index Cond']?.match(/"?\w+"?(?= (?:=|>=|<=|<|>|@@|IS NULL))/g) ?? []);
  const below = (plan.Plans ?? []).flatMap(indexesOf);
  return plan['Index Name'] === undefined ? below : [`${plan['Index Name']} by ${columns.size}`, ...below];
}

/** The number of rows that a plan has found in an index. */
function foundIn(index: string, plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + foundIn(index, each), 0);
  return below + (plan['Index Name'] === index ? plan['Actual Rows']! * plan['Actual Loops']! : 0);
}

type Statement = Pick<Sql, 'text' | 'values'>;

/** @param analyze whether to execute the statement */
async function planOf(sql: string, values: readonly unknown[], analyze = false, session = client): Promise<Plan> {
  const explain = `EXPLAIN (FORMAT JSON, ANALYZE ${analyze}) ${sql}`;
  const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...values]);
  return rows[0]!['QUERY PLAN'][0].Plan;
}

/**
 * The plans of a statement: for its values and, if it is prepared, for all values.
 */
async function plansOf({ text, values }: Statement, analyze = false, session = client): Promise<Plan[]> {
  const plan = await planOf(text, values, analyze, session);
  if (!text.includes(PREPARED)) return [plan];
  await session.query(`SET plan_cache_mode = force_generic_plan; PREPARE statement AS ${text}`);
  try {
    const execution = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`;
    return [plan, await planOf(`EXECUTE statement${execution}`, [], analyze, session)];
  } finally {
    await session.query('DEALLOCATE statement; RESET plan_cache_mode');
  }
}

/** A value, or a list of values, in SQL. */
function literalOf(value: unknown): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value)
    ? `{${value.map((each) => JSON.stringify(each)).join()}}`
    : (value as string | number);
  return pg.escapeLiteral(`${text}`);
}

const statements = keyedStatements(postgresql);
/** In the form for keys of several chats. */
const ofSeveralChats = keyedStatements({
  ...postgresql,
  ...baseDialect({
    ...postgresqlDifferences,
    keys: (keys, columns) =>
      postgresqlDifferences.keys(
        keys,
        Object.fromEntries(
          Object.entries<KeyKind>(columns).map(([name, kind]) => [name, kind === 'chat' ? 'key' : kind]),
        ) as typeof columns,
      ),
  }),
});

/** Statements, and the index that each uses with this number of columns. */
const WHOLE_KEYS = [
  ['leafBelow', 'messages_chatId_parentId_siblingIndex_key by 2'],
  ['newestChildren', 'messages_chatId_parentId_siblingIndex_key by 2'],
  ['childCounts', 'messages_chatId_parentId_siblingIndex_key by 2'],
  ['children', 'messages_chatId_parentId_siblingIndex_key by 3'],
  ['messageRanges', 'messages_chatId_seq_key by 2'],
  ['events', 'chat_events_pkey by 2'],
  ['activeBranches', 'branches_one_active_per_chat by 1'],
  ['branchesByName', 'branches_chatId_name_key by 2'],
  ['branchesAt', 'branches_chatId_headMessageId_idx by 2'],
  ['checkpointsByName', 'checkpoints_chatId_name_key by 2'],
  ['checkpointsAt', 'checkpoints_chatId_messageId_idx by 2'],
] as const;

describe('every statement finds its rows by an index', () => {
  it.each([
    ...Object.entries(statements),
    ...Object.entries(ofSeveralChats).map(([name, forms]) => [`${name} of several chats`, forms] as const),
  ])('%s', async (_, forms) => {
    for (const each of forms) {
      for (const plan of await plansOf(each)) expect(scansOf(plan)).toEqual([]);
    }
  });

  it.each(WHOLE_KEYS)('%s goes by %s columns, and reads no more of the chat', async (name, index) => {
    for (const each of statements[name]) {
      for (const plan of await plansOf(each)) expect(indexesOf(plan)).toContain(index);
    }
  });

  it.each([
    ['of every chat', { chatIds: null, userId: null }],
    ['of a large chat', { chatIds: ['large'], userId: null }],
    ["of a user's chats", { chatIds: null, userId: 'u7' }],
  ])('a search %s uses the index of words, and reads texts that are too long for it', async (_, scope) => {
    for (const query of ['t7', 'all', 'all beg*']) {
      const { index } = parseQuery(query);
      for (const before of [null, 1_000]) {
        const candidates = postgresql.candidates({ ...scope, index, names: null, before, limit: 1000 });
        for (const plan of await plansOf(candidates)) {
          expect(scansOf(plan)).not.toContain('message_texts');
          expect(indexesOf(plan).join('\n')).toMatch(
            /message_texts_vector_idx by 1[^]*message_texts_without_vector by/,
          );
        }
      }
    }
  });

  it.each([
    ['a large chat in shards', { chatIds: ['large'], userId: null }, LARGE, postgresqlInShards()],
    ['some chats', { chatIds: ['c7', 'c8', 'none'], userId: null }, 2 * EACH, postgresql],
    ["a user's chats", { chatIds: null, userId: 'u7' }, (CHATS / 50) * EACH, postgresql],
  ])('a word of all texts is found in %s without reading other texts', async (_, scope, count, dialect) => {
    const { index } = parseQuery('all');
    const candidates = dialect.candidates({ ...scope, index, names: null, before: null, limit: 1000 });
    for (const plan of await plansOf(candidates, true)) expect(foundIn('message_texts_vector_idx', plan)).toBe(count);
  });

  it('finds a word of all texts of the newest chat in its newest texts', async () => {
    const { index } = parseQuery('all');
    const scope = { chatIds: ['large'], userId: null, names: null, before: null };
    for (const plan of await plansOf(postgresql.candidates({ ...scope, index, limit: 20 }), true)) {
      expect(foundIn('message_texts_vector_idx', plan)).toBe(0);
      expect(foundIn('message_texts_pkey', plan)).toBeLessThan(LARGE);
    }
  });

  it.each([
    ['', 'vector', postgresql],
    [' in shards', 'chatId', postgresqlInShards()],
  ])(
    'finds the words of a small chat%s by the index of the %s without reading texts of others',
    async (_, of, dialect) => {
      const { index } = parseQuery('all');
      const scope = { chatIds: ['c7'], userId: null, names: null, before: null };
      const plans = await plansOf(dialect.candidates({ ...scope, index, limit: 1000 }), true);
      for (const plan of plans) expect(foundIn(`message_texts_${of}_idx`, plan)).toBe(EACH);
    },
  );

  it('also in the other statements of the API', async () => {
    const name = 'parley scans';
    const before = await scans(['filler']);
    const opened = await openDatabase({ url: urlAs(name) });
    await changeEverything(opened.store, opened.reads);
    await writeDemoInto(opened.store);
    await opened.store.close();
    const server = await createServer({ databaseUrl: urlAs(name), limits: { costLimit: 1e12 } });
    for (const [query, variables] of [
      [Snapshot.toString(), { id: 'demo' }],
      ['{ search(query: "lisbon tram") { edges { node { rank snippet message { id } } } } }', {}],
      ['{ chat(id: "demo") { search(query: "lis*") { edges { node { rank snippet message { id } } } } } }', {}],
      ['{ chats(first: 5, filter: { userId: "u7" }) { edges { node { messageCount activeBranch { name } } } } }', {}],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query, variables });
      const response = await server.fetch(new Request('http://localhost/graphql', { method: 'POST', headers, body }));
      expect(await response.json()).toEqual({ data: expect.anything() as unknown });
    }
    await server.stop();
    expect(await scans([name])).toEqual(before);
  });
});

/** Statements that find messages by their ids: the chat of a row is compared, not looked up. */
const BY_ID = ['messages', 'messagesById', 'chatsWithBranch', 'ladder', 'tip'] as const;

describe('plans that connections keep', () => {
  it.each([
    ['in an empty database', { each: 0, analyze: '' }],
    ['with the statistics of the first messages', { each: 20, analyze: ANALYZE }],
  ])('%s are those of a large one', async (_, { each, analyze }) => {
    const small = persistentDatabase();
    onTestFinished(() => small.remove());
    await (await openDatabase({ url: small.url, migrate: true })).store.close();
    const session = await connectAs('parley small', small.url);
    onTestFinished(() => session.end());
    await session.query(`BEGIN; ${chatsWith({ prefix: 'c', chats: 5, each })} COMMIT; ${analyze}`);
    const kept = async (name: keyof typeof statements) => {
      const forms = statements[name].filter(({ text }) => text.includes(PREPARED));
      const plans: Plan[] = [];
      for (const form of forms) plans.push((await plansOf(form, false, session))[1]!);
      return plans;
    };
    for (const name of Object.keys(statements) as (keyof typeof statements)[]) {
      for (const plan of await kept(name)) expect([name, ...scansOf(plan)]).toEqual([name]);
    }
    for (const [name, index] of [...WHOLE_KEYS, ...BY_ID.map((by) => [by, 'messages_pkey by 1'] as const)]) {
      for (const plan of await kept(name))
        expect([name, indexesOf(plan)]).toEqual([name, expect.arrayContaining([index])]);
    }
  });
});

describe('a large chat that is newer than the statistics', () => {
  let session: pg.Client;
  beforeAll(async () => {
    await (await openDatabase({ url: young.url, migrate: true })).store.close();
    session = await connectAs('parley young', young.url);
    await session.query(`BEGIN; ${chatsWith({ prefix: 'known', chats: 50, each: 200 })} COMMIT`);
    await session.query(ANALYZE);
    await session.query(`BEGIN; ${chatsWith({ prefix: 'new', chats: 1, each: LARGE })} COMMIT`);
  });
  afterAll(() => session.end());

  it.each([
    ...WHOLE_KEYS,
    ['nodesAt', 'messages_chatId_seq_key by 2'],
    ...BY_ID.map((name) => [name, 'messages_pkey by 1'] as const),
  ] as const)('%s goes by %s columns, and reads no more of it', async (name, index) => {
    for (const { text, values } of statements[name]) {
      const ofChat = values.map((value) => (value === 'c' ? 'new1' : value));
      for (const plan of await plansOf({ text, values: ofChat }, false, session))
        expect(indexesOf(plan)).toContain(index);
    }
  });

  it('is searched for a word without reading its other texts', async () => {
    const { index } = parseQuery('t7x1');
    const scope = { chatIds: ['new1'], userId: null, names: null, before: null };
    for (const plan of await plansOf(postgresql.candidates({ ...scope, index, limit: 1000 }), true, session)) {
      expect(foundIn('message_texts_vector_idx', plan)).toBe(1);
      expect(foundIn('message_texts_chatId_idx', plan)).toBe(0);
    }
  });
});

/** Number of sequential scans of each table, which ended sessions of these names report. */
async function scans(names: string[]) {
  const ended = 'SELECT 1 FROM pg_stat_activity WHERE application_name = ANY ($1)';
  while ((await client.query(ended, [names])).rowCount !== 0);
  const { rows } = await client.query(
    `SELECT relname, seq_scan FROM pg_stat_user_tables
     WHERE schemaname = current_schema() AND relname NOT IN ('_prisma_migrations', 'search_index', 'chats')
     ORDER BY relname`,
  );
  return rows as unknown[];
}
