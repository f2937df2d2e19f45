/** Two servers on one database, with followers and writers on both, and the faults to inject. */
import { graphql } from '../../generated/graphql/gql.js';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { startRedis } from '../../support/server/redis-server.js';
import type { Settings } from '../../support/server/server-process.js';
import { startProxy } from '../../support/server/tcp-proxy.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { onTestFinished } from 'vitest';
import { Crowd } from './crowd.js';
import { breakPostgresqlBus, breakRedis, cutConnections, killServer, swallow, type Fault } from './faults.js';
import { RestartableServer } from './restartable-server.js';
import { Writers } from './writers.js';

const SideBranch = graphql(`
  mutation SideBranch($input: BtwInput!) {
    btw(input: $input) {
      __typename
    }
  }
`);

const FOLLOWERS = 200;
const WRITERS = 16;
const CHATS = ['one', 'two', 'three', 'four'];

/** Maximum of changes made before all followers have received one. */
const MARKS = 200;

/** An interval at which sweeps find changes soon, without notifications. */
const SWEEPS = { SWEEP_INTERVAL_MS: '500' };

export interface Scene {
  servers: readonly [RestartableServer, RestartableServer];
  crowd: Crowd;
  writers: Writers;
  faults: readonly Fault[];
}

/** The bus between the servers. */
export type BusKind = 'postgresql' | 'redis' | 'none';

/** Starts the servers, writers and followers; all stop at the end of the test. */
export async function openScene(bus: BusKind, followers = FOLLOWERS): Promise<Scene> {
  const { settings, faults } = await PLACES[bus]();
  const servers = [
    await RestartableServer.start({ ...settings, MIGRATE_ON_START: 'true' }),
    await RestartableServer.start(settings),
  ] as const;
  const urls = servers.map(({ url }) => url);
  for (const id of CHATS) {
    await servers[0].run(CreateChat, { input: { id } });
    const messages = [userMessage(`${id}-beginning`)];
    await servers[0].run(SaveMessages, { input: { chatId: id, messages, onConflict: 'REJECT' } });
    await servers[0].run(SideBranch, { input: { chatId: id, branchName: 'side' } });
  }
  const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(servers[1].url).port) });
  const behindProxy = servers[1].url.replace(/:\d+/, `:${proxy.port}`);
  const [first = '', second = ''] = urls;
  const crowd = new Crowd(followers, CHATS, [
    { urls: [first] },
    { urls: [second] },
    { urls: [first, second] },
    { urls: [second, first] },
    { urls: [behindProxy] },
  ]);
  const writers = new Writers(() => urls, CHATS, WRITERS);
  onTestFinished(async () => {
    await writers.close();
    await crowd.stop();
  });
  // After this loop, followers must not miss any event.
  for (let n = 0; !crowd.hasBegun; n++) {
    if (n === MARKS) throw new Error('Some followers receive no events');
    await writers.mark(n);
  }
  writers.start();
  const cut = cutConnections(() => crowd.followers);
  return { servers, crowd, writers, faults: [cut, ...faults, swallow(proxy), cut, killServer(servers[0])] };
}

/** Injects a fault during a number of changes, ends it, and makes as many changes again. */
export async function injectFault(fault: Fault, writers: Writers, changes: number): Promise<void> {
  try {
    await fault.begin();
    await writers.more(changes);
  } finally {
    await fault.end?.();
  }
  await writers.more(changes);
}

/** Stops the writers, and waits until all followers are up to date. @returns the differences as sentences */
export async function settle({ servers, crowd, writers }: Scene, round: number) {
  await writers.stop();
  // Duplicate updates arrive before this one.
  await writers.mark(-1 - round);
  const checked = await crowd.check(servers[1].run);
  return { ...checked, differences: [...checked.differences, ...writers.failures.splice(0)] };
}

const PLACES: Record<BusKind, () => Promise<{ settings: Settings; faults: Fault[] }>> = {
  async postgresql() {
    const { url } = await startOwnPostgresql();
    return { settings: { DATABASE_URL: url, ...SWEEPS }, faults: breakPostgresqlBus(url) };
  },
  async redis() {
    const redis = await startRedis();
    const settings = { DATABASE_URL: `file:${temporaryFile()}`, REDIS_URL: redis.url, ...SWEEPS };
    return { settings, faults: breakRedis(redis) };
  },
  async none() {
    return { settings: { DATABASE_URL: `file:${temporaryFile()}`, ...SWEEPS }, faults: [] };
  },
};
