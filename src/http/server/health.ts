/** Liveness and readiness for orchestrators, load balancers and metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A database that takes longer to answer counts as down. */
const DATABASE_TIMEOUT_MS = 5_000;

const LIVE = '/health/live';
const READY = '/health/ready';
/** HAProxy sends OPTIONS where its configuration names no method. */
const METHODS = ['GET', 'HEAD', 'OPTIONS'];

export interface HealthOptions {
  /** Whether the database accepts changes. Rejects when it is unusable. */
  ping: () => Promise<{ takesChanges: boolean }>;
  /** The number of migrations in this version, and of those applied to the database. */
  migrations: () => Promise<MigrationCounts>;
  /** Reasons why the server cannot use a database that answers. */
  obstacles: () => Promise<Obstacles>;
  /** 'none' when the server uses no bus. */
  bus: () => 'up' | 'down' | 'none';
  /** The running fill of values that messages of older versions lack; null without one. */
  fill: () => Fill | null;
  features: () => object;
  isStopping: () => boolean;
}

/** Messages that are filled, of those that lacked the values at the start. */
export interface Fill {
  fill: string;
  done: number;
  total: number;
  /** Since its start. */
  seconds: number;
}

export interface MigrationCounts {
  applied: number;
  expected: number;
}

interface Obstacles {
  /** Whether a newer version migrated the database so that this version must not write. */
  isNewer: boolean;
  /** Statements that grant the server's role its missing rights. */
  missingGrants: readonly string[];
  /** Settings of the database that delay operations. */
  warnings: readonly string[];
}

/** State of the components. A bus that is down does not affect readiness: sweeps find the events. */
interface Readiness {
  status: 'ready' | 'not ready' | 'stopping';
  database: 'up' | 'read-only' | 'down';
  bus: 'up' | 'down' | 'none';
  migrations: 'applied' | 'missing' | 'newer' | 'unknown';
  /** Does not affect readiness. Absent when none runs. */
  fill?: { name: string; done: number; total: number; seconds: number };
  /** Absent when the role has its rights. */
  missingGrants?: readonly string[];
  /** Do not affect readiness. Absent when there are none. */
  warnings?: readonly string[];
}

/** State of the database; `migrations` is null while it is down or cannot be read. */
interface DatabaseState extends Obstacles {
  database: Readiness['database'];
  migrations: MigrationCounts | null;
}

export interface Health {
  /** Answers a request for /health/live or /health/ready. @returns whether it was one of the two */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** The current state of the server. Settles within 5 seconds; never rejects. */
  read(): Promise<DatabaseState & { isReady: boolean }>;
}

/** Whether Health answers a request target, without details. */
export function isHealthPath(url: string | undefined): boolean {
  const [path] = url?.split('?') ?? [];
  return path === LIVE || path === READY;
}

/**
 * Answers a request for one of the two routes.
 * @param readReadiness the body of /health/ready, which answers 503 unless its status is `ready`
 * @returns whether it was one of the two
 */
export async function answerHealth(
  { url, method = '' }: IncomingMessage,
  response: ServerResponse,
  readReadiness: () => Promise<{ status: string }>,
): Promise<boolean> {
  if (!isHealthPath(url)) return false;
  if (!METHODS.includes(method)) {
    response.writeHead(405, { allow: METHODS.join(', ') }).end();
    return true;
  }
  const body = url?.startsWith(READY) === true ? await readReadiness() : { status: 'live' };
  const isWell = body.status === 'ready' || body.status === 'live';
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(isWell ? 200 : 503, headers).end(JSON.stringify(body));
  return true;
}

export function createHealth(options: HealthOptions): Health {
  let reading: Promise<DatabaseState> | null = null;
  /** Concurrent callers share one check of the database. */
  const readDatabase = () => (reading ??= databaseOf(options).finally(() => (reading = null)));

  return {
    answer: (request, response) =>
      answerHealth(request, response, async () => readinessOf(await readDatabase(), options)),
    async read() {
      const state = await readDatabase();
      return { ...state, isReady: readinessOf(state, options).status === 'ready' };
    },
  };
}

function readinessOf(
  { database, migrations: counts, isNewer, missingGrants, warnings }: DatabaseState,
  { bus, fill, features, isStopping }: HealthOptions,
): Readiness {
  const running = fill();
  const known = counts === null ? 'unknown' : counts.applied === counts.expected ? 'applied' : 'missing';
  const migrations = isNewer ? 'newer' : known;
  const isReady = database === 'up' && migrations === 'applied';
  const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready';
  return {
    status,
    database,
    bus: bus(),
    migrations,
    ...(running && { fill: shownFill(running) }),
    ...features(),
    ...(missingGrants.length > 0 && { missingGrants }),
    ...(warnings.length > 0 && { warnings }),
  };
}

export function shownFill({ fill, done, total, seconds }: Fill): NonNullable<Readiness['fill']> {
  return { name: fill, done, total, seconds };
}

async function databaseOf(options: HealthOptions): Promise<DatabaseState> {
  let timer: NodeJS.Timeout | undefined;
  const down: DatabaseState = { database: 'down', migrations: null, isNewer: false, missingGrants: [], warnings: [] };
  const late = new Promise<DatabaseState>((resolve) => {
    timer = setTimeout(() => resolve(down), DATABASE_TIMEOUT_MS).unref();
  });
  const answer = askDatabase(options).catch(() => down);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function askDatabase({ ping, migrations, obstacles }: HealthOptions): Promise<DatabaseState> {
  const { takesChanges } = await ping();
  const found = await obstacles();
  const counts = found.missingGrants.length > 0 ? null : await migrations();
  return { database: takesChanges ? 'up' : 'read-only', migrations: counts, ...found };
}
