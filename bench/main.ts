/**
 * `npm run bench`: prints, as ratios of one run, what the server costs through HTTP against the bare driver, and large
 * conversations against small ones. The server is a process of its own, on one SQLite file in a temporary folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../src/database/open.js';
import { writeBranches, writeChain } from './fixture.js';
import { medians, type Way } from './measure.js';

const CHAIN_FIELDS = 'id parentId name data createdAt';
const CHAIN_SQL = `
  WITH RECURSIVE w(id, "parentId", n) AS (
    SELECT id, "parentId", 1 FROM messages WHERE id = ?
    UNION ALL
    SELECT p.id, p."parentId", w.n + 1 FROM w JOIN messages p ON p.id = w."parentId"
  )
  SELECT m.id, m."parentId", m.name, m.data, m."createdAt" FROM w CROSS JOIN messages m ON m.id = w.id
  ORDER BY w.n DESC`;
const GRAPH_SQL = `SELECT id, "parentId", name, preview, depth, "createdAt" FROM messages WHERE "chatId" = ? ORDER BY seq`;

interface Row {
  what: string;
  ratio: number;
  /** The ratio that is asked for: at most, unless it says at least. */
  goal: number;
  atLeast?: boolean;
  detail: string;
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const file = join(folder, 'bench.db');
const rows: Row[] = [];
try {
  await measureReads();
  await measureWrites();
  print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureReads(): Promise<void> {
  const { store } = await openDatabase({ url: `file:${file}` });
  for (const length of [100, 1_000, 10_000, 100_000]) await writeChain(store, `chain${length}`, length);
  await writeBranches(store, 'short', 100, 10);
  await writeBranches(store, 'long', 100, 1_000);
  await store.close();

  const driver = new Database(file);
  await withServer(`file:${file}`, async (post) => {
    const query = (text: string): Way => {
      const body = JSON.stringify({ query: text });
      return () => post(body);
    };
    for (const length of [1_000, 10_000]) {
      const statement = driver.prepare(CHAIN_SQL);
      const times = await medians(
        {
          driver: () => JSON.stringify(statement.all(`chain${length}-${length - 1}`)),
          parley: query(`{ chat(id: "chain${length}") { activeBranch { chain { ${CHAIN_FIELDS} } } } }`),
        },
        length === 1_000 ? 60 : 12,
      );
      ratio(`Branch.chain of ${length} against the driver`, times.parley, times.driver, 2);
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
    ratio('messages(last: 50) of 100,000 against 100', pages.large, pages.small, 1.5);
    ratio('a page of 50 from the middle of 100,000', pages.middle, pages.small, 3);
    ratio('a page of 50 from the start of 100,000', pages.start, pages.small, 3);

    const branches = (chat: string) =>
      query(`{ chat(id: "${chat}") { branches(first: 100) { edges { node { name messageCount } } } } }`);
    const counts = await medians({ short: branches('short'), long: branches('long') }, 60);
    ratio('100 branches of 1,000 with messageCount against 10', counts.long, counts.short, 2);

    const graph = driver.prepare(GRAPH_SQL);
    const graphs = await medians(
      {
        driver: () => JSON.stringify(graph.all('chain10000')),
        parley: query('{ chat(id: "chain10000") { graph { nodes { id parentId role content depth createdAt } } } }'),
      },
      12,
    );
    ratio('Chat.graph of 10,000 against the driver', graphs.parley, graphs.driver, 2.5);
  });
  driver.close();
}

/** The time of a save into a small chat, in a database of 1,000 messages and in one of 100,000, in turns. */
async function measureWrites(): Promise<void> {
  const databases = { small: 1_000, large: 100_000 };
  for (const [name, size] of Object.entries(databases)) {
    const { store } = await openDatabase({ url: `file:${join(folder, `${name}.db`)}` });
    for (let n = 0; n < size / 1_000; n++) await writeChain(store, `filler${n}`, 1_000);
    await writeChain(store, 'chat', 1);
    await store.close();
  }
  await withServer(`file:${join(folder, 'small.db')}`, (small) =>
    withServer(`file:${join(folder, 'large.db')}`, async (large) => {
      const times = await medians({ small: () => saveTurn(small), large: () => saveTurn(large) }, 100);
      rows.push({
        what: 'saves a second at 100,000 messages against 1,000',
        ratio: times.small / times.large,
        goal: 0.8,
        atLeast: true,
        detail: `${(1000 / times.large).toFixed(0)} against ${(1000 / times.small).toFixed(0)} a second, one after the other`,
      });
    }),
  );
}

type Post = (body: string) => Promise<string>;

async function saveTurn(post: Post): Promise<void> {
  const messages = ['user', 'assistant'].map((name) => ({ name, content: { text: 'A question, or an answer.' } }));
  const query = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const answer = await post(JSON.stringify({ query, variables: { input: { chatId: 'chat', messages } } }));
  if (!answer.includes('SaveMessagesPayload')) throw new Error(`not saved: ${answer}`);
}

/** Runs the built server on a database, and what is measured against it. */
async function withServer(databaseUrl: string, measure: (post: Post) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', DEMO: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
    await measure((body) => post(url, agent, body));
  } finally {
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** Reads the whole answer, and looks at no more than its beginning: parsing it is not the server's cost. */
function post(url: string, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      let beginning = '';
      incoming.on('data', (chunk: Buffer) => (beginning ||= chunk.toString('utf8', 0, 200)));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (beginning.startsWith('{"data":{')) resolve(beginning);
        else reject(new Error(beginning));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function ratio(what: string, time: number, baseline: number, goal: number): void {
  rows.push({ what, ratio: time / baseline, goal, detail: `${time.toFixed(2)} ms against ${baseline.toFixed(2)} ms` });
}

function print(): void {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}\n`);
  console.log('| what | ratio | goal | | medians |\n|---|---|---|---|---|');
  for (const { what, ratio: measured, goal, atLeast = false, detail } of rows) {
    const isMet = atLeast ? measured >= goal : measured <= goal;
    const bound = `${atLeast ? 'at least' : 'at most'} ${goal}`;
    console.log(`| ${what} | ${measured.toFixed(2)} | ${bound} | ${isMet ? 'met' : 'missed'} | ${detail} |`);
  }
}
