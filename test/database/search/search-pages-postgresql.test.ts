/** The pages that a search for candidates reads depend on the candidates it returns, not on the number of texts. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresql } from '../../../src/database/dialects/postgresql/postgresql.js';
import type { CandidateRequest } from '../../../src/database/dialects/requests.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { parseQuery } from '../../../src/search/query.js';
import { persistentDatabase } from '../../support/database/temporary-database.js';

const CHATS = 100;
const FEW = 4_000;
const MANY = 40_000;

const database = persistentDatabase();
let client: pg.Client;
beforeAll(async () => {
  await (await openDatabase({ url: database.url, migrate: true })).store.close();
  client = new pg.Client(postgresqlSettings(parseDatabaseUrl(database.url) as ServerUrl));
  await client.connect();
  await client.query(
    `INSERT INTO chats SELECT 'c' || c, CASE c WHEN 7 THEN 'few' ELSE 'u' || c % 2 END, NULL, '{}', c, c, 0
     FROM generate_series(0, ${CHATS - 1}) c`,
  );
});
afterAll(async () => {
  await client.end();
  await database.remove();
});

/** A frequent word of the newest texts, which are too few for a search, and of some at the beginning. */
const isOfBurst = (n: number) => n > MANY - 100 || n <= 100;

/** Texts with words of different frequency. */
async function write(from: number, to: number): Promise<void> {
  await client.query(
    `INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
     SELECT 'm' || n, 'c' || n % ${CHATS}, CASE n % 3 WHEN 0 THEN 'user' ELSE 'assistant' END, n, n, 9,
       ' ever ' || CASE WHEN n % 2 = 0 THEN ' half ' ELSE '' END || CASE WHEN n <= ${FEW} AND n % 400 = 0 THEN ' rare ' ELSE '' END
         || CASE WHEN n <= ${FEW} THEN ' old ' ELSE '' END
         || CASE WHEN n <= 100 OR n > ${MANY - 100} THEN ' burst ' ELSE '' END
     FROM generate_series(${from}::int, ${to}::int) n`,
    [],
  );
  // Searches also read the index's list of new entries.
  await client.query('VACUUM ANALYZE message_texts');
}

const everyChat = { chatIds: null, userId: null, names: null, before: null, limit: 100 };

const candidates = (query: string, request: Partial<CandidateRequest> = {}) =>
  postgresql.candidates({ ...everyChat, index: parseQuery(query).index, ...request });

async function pages(query: string, request?: Partial<CandidateRequest>): Promise<number> {
  interface Plan {
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
  }
  const { text, values } = candidates(query, request);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  const plan = rows[0]!['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** The numbers of texts found. */
async function found(query: string, request?: Partial<CandidateRequest>): Promise<number[]> {
  const { text, values } = candidates(query, request);
  const { rows } = await client.query<{ id: number }>(text, values);
  return rows.map(({ id }) => id);
}

const COMMON: Record<string, [query: string, request?: Partial<CandidateRequest>]> = {
  'a word': ['ever'],
  'two words': ['ever half'],
  'a prefix and a word': ['ever hal*'],
  'a word by role': ['ever', { names: ['user'] }],
  'a word before a text': ['ever', { before: FEW }],
  "a word in a user's chats, half of all": ['ever', { userId: 'u1' }],
  'a word in chosen chats, half of all': [
    'ever',
    { chatIds: Array.from({ length: CHATS / 2 }, (_, n) => `c${2 * n}`) },
  ],
};

/** The pages of each search by those of a rare word, which the index finds in ten texts. */
async function ratios(): Promise<Record<string, number>> {
  const rare = await pages('rare');
  const found: Record<string, number> = {};
  for (const [name, search] of Object.entries(COMMON)) found[name] = (await pages(...search)) / rare;
  return found;
}

test('common words read pages in proportion to a rare word, however many texts have them', async () => {
  await write(1, FEW);
  const few = await ratios();
  await write(FEW + 1, MANY);
  const many = await ratios();
  const grown = Object.keys(COMMON).filter((name) => many[name]! > 1.5 * few[name]!);
  expect({ grown, few, many }).toEqual({ grown: [], few, many });
});

test('the newest candidates are found in the newest texts, or by the index', async () => {
  const last = (to: number, isFound: (n: number) => boolean) =>
    Array.from({ length: to }, (_, n) => to - n)
      .filter(isFound)
      .slice(0, 100);
  expect(await found('ever')).toEqual(last(MANY, () => true));
  expect(await found('ever rare')).toEqual(last(FEW, (n) => n % 400 === 0));
  expect(await found('half', { names: ['user'] })).toEqual(last(MANY, (n) => n % 6 === 0));
  expect(await found('half', { userId: 'few' })).toEqual([]);
  expect(await found('ever', { userId: 'few' })).toEqual(last(MANY, (n) => n % CHATS === 7));
  // No text of the newest has it.
  expect(await found('old')).toEqual(last(FEW, () => true));
  // Some of the newest have it, but fewer than they let expect.
  expect(await found('burst half')).toEqual(last(MANY, (n) => n % 2 === 0 && isOfBurst(n)));
});
