/**
 * Compares the most common reads with the bare driver, which runs the same statements and JSON.stringify on their rows.
 */
import Database from 'better-sqlite3';
import pg from 'pg';
import { openDatabase } from '../../src/database/opening/open.js';
import { writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

export const CHAIN_FIELDS = 'id parentId name data createdAt';

/** @param id the parameter in the driver's syntax */
const chainSql = (id: string) => `
  WITH RECURSIVE w(id, "parentId", n) AS (
    SELECT id, "parentId", 1 FROM messages WHERE id = ${id}
    UNION ALL
    SELECT p.id, p."parentId", w.n + 1 FROM w JOIN messages p ON p.id = w."parentId"
  )
  SELECT m.id, m."parentId", m.name, m.data, m."createdAt" FROM w CROSS JOIN messages m WHERE m.id = w.id
  ORDER BY w.n DESC`;
const graphSql = (chatId: string) =>
  `SELECT id, "parentId", name, preview, depth, "createdAt" FROM messages WHERE "chatId" = ${chatId} ORDER BY seq`;

export const chainQuery = (chatId: string) =>
  `{ chat(id: "${chatId}") { activeBranch { chain { ${CHAIN_FIELDS} } } } }`;
export const graphQuery = (chatId: string) =>
  `{ chat(id: "${chatId}") { graph { nodes { id parentId role content depth createdAt } } } }`;

/** Rounds by chain length: longer chains are read less often. */
export const ROUNDS: Record<number, number> = { 1_000: 60, 10_000: 12 };

/** Reads with the bare driver. @returns the rows as JSON */
interface Driver {
  chain(id: string): unknown;
  graph(chatId: string): unknown;
  close(): unknown;
}

/** @param file path of a missing database, which is created */
export async function* measureSqliteChains(file: string): AsyncGenerator<Ratio> {
  const open = async (): Promise<Driver> => {
    const driver = new Database(file);
    const [chain, graph] = [driver.prepare(chainSql('?')), driver.prepare(graphSql('?'))];
    return {
      chain: (id) => JSON.stringify(chain.all(id)),
      graph: (chatId) => JSON.stringify(graph.all(chatId)),
      close: () => driver.close(),
    };
  };
  yield* compare('SQLite', `file:${file}`, open, { 1_000: 1.3, 10_000: 0.8, graph: 0.9 });
}

export async function* measurePostgresqlChains(url: string): AsyncGenerator<Ratio> {
  const open = async (): Promise<Driver> => {
    const driver = new pg.Client(url);
    await driver.connect();
    const json = async (sql: string, value: string) => JSON.stringify((await driver.query(sql, [value])).rows);
    return {
      chain: (id) => json(chainSql('$1'), id),
      graph: (chatId) => json(graphSql('$1'), chatId),
      close: () => driver.end(),
    };
  };
  yield* compare('PostgreSQL', url, open, { 1_000: 1.5, 10_000: 1.1 });
}

async function* compare(
  database: string,
  url: string,
  openDriver: () => Promise<Driver>,
  goals: { 1_000: number; 10_000: number; graph?: number },
): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const length of [1_000, 10_000]) await writeChain(store, `chain${length}`, length);
  await store.close();
  const driver = await openDriver();
  const ratios = await withServer(url, async ({ post }) => {
    const compared: Ratio[] = [];
    for (const length of [1_000, 10_000] as const) {
      const times = await medians(
        {
          driver: () => driver.chain(`chain${length}-${length - 1}`),
          parley: () => post(chainQuery(`chain${length}`)),
        },
        ROUNDS[length]!,
      );
      const what = `${database}: Branch.chain of ${length.toLocaleString('en')} against the driver`;
      compared.push(ratioOf(what, times.parley, times.driver, goals[length]));
    }
    const graphs = await medians(
      { driver: () => driver.graph('chain10000'), parley: () => post(graphQuery('chain10000')) },
      ROUNDS[10_000]!,
    );
    compared.push(
      ratioOf(`${database}: Chat.graph of 10,000 against the driver`, graphs.parley, graphs.driver, goals.graph),
    );
    return compared;
  });
  await driver.close();
  yield* ratios;
}
