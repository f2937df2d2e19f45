/**
 * The first bottleneck of one server for 10,000 users, whose chats follow Zipf's law: the number of concurrent clients
 * doubles until requests per second grow by less than a tenth, and the processor times name what is used up.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { SignJWT } from 'jose';
import { openDatabase } from '../../../src/database/opening/open.js';
import { startPostgresql } from '../../support/database/embedded-postgresql.js';
import { CHAIN_FIELDS } from '../chains.js';
import { canReadCpuTime, cpuTime } from '../measuring/cpu-time.js';
import { RARE_WORD } from '../measuring/fixture.js';
import { quantile, timeOf } from '../measuring/measure.js';
import type { Ratio } from '../measuring/report.js';
import { withServer, type Server } from '../measuring/server.js';
import { populate, randomNumbers, rankOf, USERS, type Population } from './population.js';

const SECRET = 'a secret of a benchmark, which is long enough';
const MAX_CLIENTS = 256;
const STEP_MS = 8_000;
/** A step that grows by less ends the run. */
const GROWTH = 1.1;
/** The share of a processor above which it counts as used up. */
const USED_UP = 0.85;

/** @param sqlite the URL of a missing file */
export async function* measureScale(sqlite: string): AsyncGenerator<Ratio> {
  yield await measureOn('SQLite', sqlite, () => []);
  const postgresql = await startPostgresql([]);
  try {
    const url = `${postgresql.url}?schema=scale`;
    yield await measureOn('PostgreSQL', url, () => [postgresql.pid, ...childrenOf(postgresql.pid)]);
  } finally {
    await postgresql.remove();
  }
}

/** @param processes of the database server */
async function measureOn(database: string, url: string, processes: () => number[]): Promise<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  const population = await populate(store);
  await store.close();
  const settings = { AUTH_JWT_SECRET: SECRET, RATE_LIMIT_PER_USER: '0', RATE_LIMIT_PER_ADDRESS: '0' };
  const steps = await withServer(url, (server) => climb(server, population, processes), undefined, settings);
  const top = steps.reduce((best, step) => (step.perSecond > best.perSecond ? step : best));
  const what = `${database}: ${USERS.toLocaleString('en')} users, ${population.messages.toLocaleString('en')} messages`;
  return {
    what: `${what}: requests per second of one server, until ${bottleneckOf(top)}`,
    ratio: top.perSecond,
    unit: 'requests/s',
    detail: steps.map(describe).join('; '),
  };
}

interface Step {
  clients: number;
  perSecond: number;
  /** In milliseconds. */
  p99: number;
  /** In processors; NaN if the system does not report it. */
  server: number;
  database: number;
  bench: number;
  /** All programs of the machine. */
  all: number;
}

async function climb(server: Server, population: Population, processes: () => number[]): Promise<Step[]> {
  const tokens = await Promise.all(population.chatsOf.map((_, user) => tokenOf(`u${user}`)));
  const steps: Step[] = [];
  for (let clients = 1; clients <= MAX_CLIENTS; clients *= 2) {
    const before = steps.at(-1);
    const step = await run(server, { ...population, tokens }, clients, processes);
    steps.push(step);
    if (before !== undefined && step.perSecond < before.perSecond * GROWTH) break;
  }
  return steps;
}

async function run(
  { post, pid }: Server,
  { chatsOf, tokens }: Population & { tokens: string[] },
  clients: number,
  processes: () => number[],
): Promise<Step> {
  const times: number[] = [];
  const used = () => ({
    server: cpuOf([pid]),
    database: cpuOf(processes()),
    bench: cpuOf([process.pid]),
    all: cpuOfAll(),
  });
  const before = used();
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const random = randomNumbers(client * 7_919 + clients);
      while (performance.now() - begin < STEP_MS) {
        const user = rankOf(USERS, random());
        const chat = `u${user}-${rankOf(chatsOf[user]!, random())}`;
        const { query, variables } = operationFor(chat, random());
        times.push(await timeOf(() => post(query, variables, { authorization: `Bearer ${tokens[user]!}` })));
      }
    }),
  );
  const elapsed = performance.now() - begin;
  const after = used();
  const share = (name: keyof typeof before) => (after[name] - before[name]) / elapsed;
  return {
    clients,
    perSecond: (1000 * times.length) / elapsed,
    p99: quantile(times, 0.99),
    server: share('server'),
    database: share('database'),
    bench: share('bench'),
    all: share('all'),
  };
}

/** The operations of users: of 20, 8 list chats, 8 open one, 3 save a turn and 1 searches. */
function operationFor(chatId: string, random: number): { query: string; variables?: object } {
  if (random < 0.4) return { query: '{ chats(first: 20) { edges { node { id title updatedAt } } } }' };
  if (random < 0.8)
    return {
      query: `query ($id: ID!) { chat(id: $id) { branches { edges { node { name } } }
        activeBranch { messages(last: 50) { edges { node { ${CHAIN_FIELDS} } } } } } }`,
      variables: { id: chatId },
    };
  if (random < 0.95)
    return {
      query: 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }',
      variables: { input: { chatId, messages: [said('user'), said('assistant')] } },
    };
  return { query: `{ search(query: "${RARE_WORD}", first: 10) { edges { node { snippet } } } }` };
}

function said(name: string) {
  return { name, content: { text: 'A question, or an answer.' } };
}

function tokenOf(userId: string): Promise<string> {
  return new SignJWT({ sub: userId })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('2h')
    .sign(new TextEncoder().encode(SECRET));
}

function bottleneckOf({ server, database, bench, all }: Step): string {
  if (!canReadCpuTime) return 'an unknown limit: this system does not report processor times';
  if (server >= USED_UP) return 'its process uses up one processor';
  if (server + database + bench >= USED_UP * cpus().length)
    return 'it, the database and the clients use up all processors';
  if (all >= USED_UP * cpus().length) return 'other programs use up the processors';
  return 'requests wait for commits, locks or connections';
}

function describe({ clients, perSecond, p99, server, database }: Step): string {
  const processors = `${server.toFixed(2)} + ${database.toFixed(2)} processors`;
  return `${clients} clients ${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms, ${processors}`;
}

function cpuOf(processes: number[]): number {
  return canReadCpuTime ? processes.reduce((total, pid) => total + cpuTime(pid), 0) : Number.NaN;
}

/** The processor time of the machine since its start, in milliseconds. */
function cpuOfAll(): number {
  return cpus().reduce((total, { times }) => total + times.user + times.nice + times.sys + times.irq, 0);
}

/** The processes that a process has started, on a system with /proc. */
function childrenOf(parent: number): number[] {
  if (!canReadCpuTime) return [];
  const listed = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return listed.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It has ended since the list.
    return null;
  }
}
