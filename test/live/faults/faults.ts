/** Faults that are injected one after the other while writers continue. */
import pg from 'pg';
import type { LogFollower } from '../../support/server/log-follower.js';
import type { RedisServer } from '../../support/server/redis-server.js';
import type { TcpProxy } from '../../support/server/tcp-proxy.js';
import type { RestartableServer } from './restartable-server.js';

export interface Fault {
  name: string;
  begin(): unknown;
  /** Restores what `begin` broke. */
  end?(): unknown;
}

/** Cuts sockets and streams; each round cuts those of other followers. */
export function cutConnections(followers: () => readonly LogFollower[]): Fault {
  let round = 0;
  return {
    name: 'connections are cut',
    begin() {
      round++;
      for (const [n, follower] of followers().entries()) if ((n + round) % 3 === 0) follower.cut();
    },
  };
}

/** A network that accepts all data and forwards none, until its connections end. */
export function swallow(proxy: TcpProxy): Fault {
  const end = () => {
    proxy.restore();
    proxy.cut();
  };
  return { name: 'a network swallows', begin: () => proxy.swallow(), end };
}

/** A process that is killed and restarted at the same address. */
export function killServer(server: RestartableServer): Fault {
  return { name: 'a server is killed', begin: () => server.kill(), end: () => server.startAgain() };
}

/** A Redis that accepts all data and forwards none, and one that is not running. */
export function breakRedis(redis: RedisServer): Fault[] {
  return [
    { name: 'Redis stands still', begin: () => redis.stop(), end: () => redis.cont() },
    { name: 'Redis is killed', begin: () => redis.kill(), end: () => redis.start() },
  ];
}

/** The same for the PostgreSQL processes that forward notifications between servers. */
export function breakPostgresqlBus(databaseUrl: string): Fault[] {
  const onBus = async (wanted: string) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const sql = `SELECT ${wanted} AS wanted FROM pg_stat_activity WHERE application_name = 'parley bus'`;
    const { rows } = await client.query<{ wanted: number }>(sql);
    await client.end();
    return rows.map(({ wanted }) => wanted);
  };
  let frozen: number[] = [];
  return [
    {
      name: 'the bus stands still',
      async begin() {
        frozen = await onBus('pid');
        for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      },
      end() {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
        frozen = [];
      },
    },
    { name: 'the bus is cut off', begin: () => onBus('pg_terminate_backend(pid)') },
  ];
}
