/** What is read most, against the bare driver, which runs the same statements; and long chains against short ones. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../src/database/opening/open.js';
import { writeBranches, writeChain } from './fixture.js';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

export const CHAIN_FIELDS = 'id parentId name data createdAt';

/** @param id how the driver writes the parameter */
export const chainSql = (id: string) => `
  WITH RECURSIVE w(id, "parentId", n) AS (
    SELECT id, "parentId", 1 FROM messages WHERE id = ${id}
    UNION ALL
    SELECT p.id, p."parentId", w.n + 1 FROM w JOIN messages p ON p.id = w."parentId"
  )
  SELECT m.id, m."parentId", m.name, m.data, m."createdAt" FROM w CROSS JOIN messages m WHERE m.id = w.id
  ORDER BY w.n DESC`;
const GRAPH_SQL = `SELECT id, "parentId", name, preview, depth, "createdAt" FROM messages WHERE "chatId" = ? ORDER BY seq`;

export const chainQuery = (chatId: string) =>
  `{ chat(id: "${chatId}") { activeBranch { chain { ${CHAIN_FIELDS} } } } }`;

export async function* measureChains(folder: string): AsyncGenerator<Ratio> {
  const file = join(folder, 'chains.db');
  const { store } = await openDatabase({ url: `file:${file}` });
  for (const length of [100, 1_000, 10_000, 100_000]) await writeChain(store, `chain${length}`, length);
  await writeBranches(store, 'short', 100, 10);
  await writeBranches(store, 'long', 100, 1_000);
  await store.close();

  const driver = new Database(file);
  const ratios: Ratio[] = [];
  await withServer(`file:${file}`, async (post) => {
    const query = (text: string) => () => post(text);
    for (const length of [1_000, 10_000]) {
      const statement = driver.prepare(chainSql('?'));
      const times = await medians(
        {
          driver: () => JSON.stringify(statement.all(`chain${length}-${length - 1}`)),
          parley: query(chainQuery(`chain${length}`)),
        },
        length === 1_000 ? 60 : 12,
      );
      ratios.push(ratioOf(`Branch.chain of ${length} against the driver`, times.parley, times.driver, 2));
    }

    const page = (chat: string, args: string) =>
      query(
        `{ chat(id: "${chat}") { activeBranch { messages(${args}) { edges { cursor node { ${CHAIN_FIELDS} } } } } } }`,
      );
    const cursor = (depth: number) => Buffer.from(`path:${depth}`).toString('base64url');
    const pages = await medians(
      {
        small: page('chain100', 'last: 50'),
        large: page('chain100000', 'last: 50'),
        middle: page('chain100000', `first: 50, after: "${cursor(50_000)}"`),
        start: page('chain100000', 'first: 50'),
      },
      60,
    );
    ratios.push(
      ratioOf('messages(last: 50) of 100,000 against 100', pages.large, pages.small, 1.5),
      ratioOf('a page of 50 from the middle of 100,000', pages.middle, pages.small, 3),
      ratioOf('a page of 50 from the start of 100,000', pages.start, pages.small, 3),
    );

    const branches = (chat: string) =>
      query(`{ chat(id: "${chat}") { branches(first: 100) { edges { node { name messageCount } } } } }`);
    const counts = await medians({ short: branches('short'), long: branches('long') }, 60);
    ratios.push(ratioOf('100 branches of 1,000 with messageCount against 10', counts.long, counts.short, 2));

    const graph = driver.prepare(GRAPH_SQL);
    const graphs = await medians(
      {
        driver: () => JSON.stringify(graph.all('chain10000')),
        parley: query('{ chat(id: "chain10000") { graph { nodes { id parentId role content depth createdAt } } } }'),
      },
      12,
    );
    ratios.push(ratioOf('Chat.graph of 10,000 against the driver', graphs.parley, graphs.driver, 2.5));
  });
  driver.close();
  yield* ratios;
}
