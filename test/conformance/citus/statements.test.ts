/** Whether Citus accepts the statements of the distributed form. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkedRows } from '../../../src/features/maintenance/checking/check-database.js';
import { TABLE_CHECKS } from '../../../src/features/maintenance/checking/table-checks.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { runsOf } from '../../../src/database/dialects/postgresql/runs.js';
import { postgresqlInShards as inShards } from '../../../src/features/distribution/in-shards.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { keyedStatements } from '../../support/database/keyed-statements.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

const postgresqlInShards = inShards({ isComplete: true });

let database: TemporaryDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await temporaryDatabase();
  client = new pg.Client(postgresqlSettings(parseDatabaseUrl(database.url) as ServerUrl));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.remove();
});

/** Each key, and a key of another chat. */
const inTwoChats = (key: unknown): unknown[] => {
  if (key === 'c') return ['c', 'd'];
  return typeof key === 'object' && key !== null && 'chatId' in key ? [key, { ...key, chatId: 'd' }] : [key];
};

/** A dialect whose lists of keys have several chats. */
const twice = new Proxy(postgresqlInShards, {
  get(dialect, name: keyof Dialect) {
    const member: unknown = dialect[name];
    if (typeof member !== 'function') return member;
    return (keys: unknown, ...rest: unknown[]): unknown =>
      Reflect.apply(member, dialect, [Array.isArray(keys) ? keys.flatMap(inTwoChats) : keys, ...rest]);
  },
});

const anything = { names: null, before: null, limit: 9 };
const words = [
  { term: 'a', isPrefix: false },
  { term: 'abc', isPrefix: true },
];
const searches = [null, ['c', 'd']].flatMap((chatIds) =>
  [[], words].map((index) => postgresqlInShards.candidates({ ...anything, index, userId: null, chatIds })),
);

const statements = [
  ...Object.entries(keyedStatements(postgresqlInShards)),
  ...Object.entries(keyedStatements(twice)).map(([name, forms]) => [`${name} of several chats`, forms] as const),
  ['candidates of several and all chats', searches] as const,
  ...TABLE_CHECKS.map((check) => {
    const last = check.key.map(() => '1');
    return [
      `checkedRows of ${check.table}`,
      [null, last].map((after) => checkedRows(postgresqlInShards.differences, check, after, 9)),
    ] as const;
  }),
];

/** PostgreSQL's code: feature not supported. */
const REFUSED = '0A000';

// With made-up ids: a key may refuse the rows, and a transaction is rolled back.
it.each(statements)('%s', async (_, forms) => {
  for (const { text, values } of forms.flatMap((form) =>
    runsOf(form.values).map((values) => ({ text: form.text, values })),
  )) {
    await client.query('BEGIN');
    const error: unknown = await client.query(text, values).catch((reason: unknown) => reason);
    await client.query('ROLLBACK');
    expect(error).not.toMatchObject({ code: REFUSED });
  }
});
