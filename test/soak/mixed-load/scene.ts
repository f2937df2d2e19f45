/**
 * The servers of the soak: one on SQLite and, except for `sqlite`, two on a separate PostgreSQL, one of which is killed
 * repeatedly. All are built, run in separate processes as in production, require tokens, and have the default limits.
 */
import { RestartableServer } from '../../live/faults/restartable-server.js';
import { freePort } from '../../support/server/free-port.js';
import type { FollowerOptions } from '../../support/server/log-follower.js';
import { startOwnPostgresql, type OwnPostgresql } from '../../support/database/own-postgresql.js';
import { startServer, type ServerProcess } from '../../support/server/server-process.js';
import { startProxy, type TcpProxy } from '../../support/server/tcp-proxy.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { SECRET } from '../../support/server/tokens.js';
import { writeHostileChats } from './hostile/seed.js';
import { FaultWindow } from './fault-window.js';

/** The keep-alive timeout of followers behind a network that may drop data, in milliseconds. */
const PING_MS = 2_000;

/** The limit of each heap, in MiB. */
const HEAP_MIB = 512;

const SETTINGS = {
  AUTH_JWT_SECRET: SECRET,
  LOG_LEVEL: 'error',
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  // As in the image.
  MALLOC_MMAP_THRESHOLD_: '131072',
  // The forwarded address distinguishes clients: all run on one machine.
  TRUSTED_PROXIES: '127.0.0.1',
} as const;

/** A server that clients use. */
export interface Place {
  name: string;
  readonly url: string;
  faultWindow: FaultWindow;
}

/** A server that runs during the whole soak, and whose memory is measured. */
export interface MeasuredServer extends Place {
  server: ServerProcess;
  metricsUrl: string;
  /** The temporary folder of its imports; empty at the end. */
  temporaryFolder: string;
}

/** A way to follow a chat. */
export type Way = Pick<FollowerOptions, 'urls' | 'transport' | 'pingMs'> & { isHead: boolean };

/** The servers of a database. */
export interface Site {
  places: readonly Place[];
  ways: readonly Way[];
  proxy: TcpProxy;
}

export interface Scene {
  measured: readonly MeasuredServer[];
  sites: readonly Site[];
  /** Components that fail repeatedly. */
  breakable: Breakable | null;
}

export interface Breakable {
  postgresql: OwnPostgresql;
  /** The server that is killed, and its load. */
  victim: { server: RestartableServer; faultWindow: FaultWindow };
}

/** Starts all servers; they stop at the end of the test. */
export async function openScene(isSqliteAlone: boolean): Promise<Scene> {
  const onSqlite = await startMeasured('SQLite', `file:${temporaryFile()}`);
  if (isSqliteAlone) return { measured: [onSqlite], sites: [await siteOf([onSqlite])], breakable: null };
  const postgresql = await startOwnPostgresql();
  const onPostgresql = await startMeasured('PostgreSQL', postgresql.url);
  const server = await RestartableServer.start({ ...SETTINGS, DATABASE_URL: postgresql.url });
  const victim = { server, faultWindow: new FaultWindow() };
  const killed: Place = {
    name: 'PostgreSQL, the one that is killed',
    url: server.url,
    faultWindow: victim.faultWindow,
  };
  return {
    measured: [onSqlite, onPostgresql],
    sites: [await siteOf([onSqlite]), await siteOf([onPostgresql, killed, onPostgresql])],
    breakable: { postgresql, victim },
  };
}

async function startMeasured(name: string, databaseUrl: string): Promise<MeasuredServer> {
  await writeHostileChats(databaseUrl);
  const port = await freePort();
  const folder = temporaryFolder();
  const settings = {
    ...SETTINGS,
    DATABASE_URL: databaseUrl,
    TMPDIR: folder,
    METRICS_PORT: String(port),
  } as const;
  const server = await startServer(settings);
  const metricsUrl = `http://127.0.0.1:${port}/metrics`;
  return { name, url: server.url, server, faultWindow: new FaultWindow(), metricsUrl, temporaryFolder: folder };
}

/** Every chat is followed in all these ways: through any server, and through a network that may drop data. */
async function siteOf(places: readonly Place[]): Promise<Site> {
  const [first] = places;
  const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(first!.url).port) });
  const urls = places.map(({ url }) => url);
  const behindProxy = first!.url.replace(/:\d+/, `:${proxy.port}`);
  const ways: Way[] = [
    { urls, transport: 'websocket', isHead: false },
    { urls: urls.toReversed(), transport: 'stream', isHead: true },
    { urls: [behindProxy], transport: 'websocket', pingMs: PING_MS, isHead: true },
  ];
  return { places, ways, proxy };
}
