/** Whether the process lives, and whether it can serve: for whoever restarts it or sends it requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a part may take to say how it is, in milliseconds; one that takes longer counts as down. */
const PATIENCE_MS = 5_000;

export interface HealthOptions {
  /** Whether the database takes changes. Rejects when it cannot be used at all. */
  ping: () => Promise<{ takesChanges: boolean }>;
  /** Whether the database has all migrations of this version. */
  isMigrated: () => Promise<boolean>;
  /** 'none' when the server has no need of one. */
  bus: () => 'up' | 'down' | 'none';
  /** Whether the server has been told to stop. */
  isStopping: () => boolean;
}

/** How the parts are. A bus that is away makes nobody unready: what it does not tell is found by the sweeps. */
interface Readiness {
  status: 'ready' | 'not ready' | 'stopping';
  database: 'up' | 'read-only' | 'down';
  bus: 'up' | 'down' | 'none';
  migrations: 'applied' | 'missing' | 'unknown';
}

/**
 * Answers /health/live and /health/ready.
 * @returns what takes a request, and answers whether it was one of the two
 */
export function createHealth(
  options: HealthOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  let looking: Promise<Pick<Readiness, 'database' | 'migrations'>> | null = null;
  /** However many ask meanwhile, the database is asked once. */
  const look = () => (looking ??= databaseOf(options).finally(() => (looking = null)));

  return async ({ url = '', method }, response) => {
    const path = url.split('?')[0];
    const isReadiness = path === '/health/ready';
    if (!isReadiness && path !== '/health/live') return false;
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const body = isReadiness ? readinessOf(await look(), options) : { status: 'live' };
    const isWell = body.status === 'ready' || body.status === 'live';
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    response.writeHead(isWell ? 200 : 503, headers).end(JSON.stringify(body));
    return true;
  };
}

function readinessOf(
  { database, migrations }: Pick<Readiness, 'database' | 'migrations'>,
  { bus, isStopping }: HealthOptions,
): Readiness {
  const isReady = database === 'up' && migrations === 'applied';
  const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready';
  return { status, database, bus: bus(), migrations };
}

async function databaseOf({ ping, isMigrated }: HealthOptions): Promise<Pick<Readiness, 'database' | 'migrations'>> {
  try {
    const database = (await inTime(ping())).takesChanges ? 'up' : 'read-only';
    return { database, migrations: (await inTime(isMigrated())) ? 'applied' : 'missing' };
  } catch {
    return { database: 'down', migrations: 'unknown' };
  }
}

/** @throws Error when there is no answer in time */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer for ${PATIENCE_MS} ms`)), PATIENCE_MS).unref();
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
