/** The bus on Redis, with separate real servers. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { createRedisBus } from '../../../src/features/buses/redis-bus.js';
import { noRedis, redisServerPath, startRedis } from '../../support/server/redis-server.js';
import { describeBus, failureLogged, advanceableClock, type OwnBusServer } from './any-bus.js';

const PASSWORD = 'a secret: 50%';

async function server(): Promise<OwnBusServer> {
  const redis = await startRedis('--requirepass', PASSWORD);
  const url = new URL('/3', redis.url);
  url.password = encodeURIComponent(PASSWORD);
  const admin = async <T>(run: (client: Redis) => Promise<T>) => {
    const client = new Redis(url.href);
    return run(client).finally(() => client.disconnect());
  };
  return {
    url: url.href,
    publish: (payload) => admin((client) => client.publish('parley', payload)),
    disconnectClients: () => admin((client) => client.client('KILL', 'TYPE', 'pubsub')),
    stop: redis.kill,
    start: redis.start,
    freeze: async () => redis.stop(),
    thaw: redis.cont,
  };
}

it.skipIf(redisServerPath === undefined)(`is tested on a real server${noRedis}`, () => {});

if (redisServerPath !== undefined) {
  describeBus({
    name: 'Redis',
    open: (url, _channel, listener, pace) => createRedisBus(url, listener, pace),
    server,
    ownServer: server,
  });

  it('logs no password, even if a server repeats it because the command is unknown', async () => {
    const redis = await startRedis('--rename-command', 'AUTH', '');
    const lines: string[] = [];
    const bus = createRedisBus(`redis://:hunter2@127.0.0.1:${redis.port}`, {
      onWake: () => {},
      onConnected: () => {},
      log: (line) => lines.push(line),
    });
    onTestFinished(() => bus.close());
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toMatch(/unknown command 'auth'$/i);
  });

  it('reconnects when only the publishing connection has ended', async () => {
    const { url } = await server();
    let connections = 0;
    const bus = createRedisBus(url, { onWake: () => {}, onConnected: () => connections++, log: () => {} });
    onTestFinished(() => bus.close());
    await expect.poll(() => connections).toBe(1);
    const admin = new Redis(url);
    onTestFinished(() => admin.disconnect());
    const clients = (await admin.call('CLIENT', 'LIST', 'TYPE', 'normal')) as string;
    const [, id] = /id=(\d+) .*name=parley-bus /.exec(clients)!;
    await admin.client('KILL', 'ID', id!);
    await expect.poll(() => connections).toBe(2);
  });

  it('reconnects when the network drops the data of only the subscribing connection', async () => {
    const url = new URL((await server()).url);
    const port = Number(url.port);
    const subscribers: Socket[] = [];
    const relay = createServer((client) => {
      const upstream = connect(port, url.hostname);
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.on('data', (data) => void (data.includes('subscribe') && subscribers.push(upstream)));
      client.pipe(upstream).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    onTestFinished(() => void relay.close());
    url.port = String((relay.address() as AddressInfo).port);
    let connections = 0;
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const listener = { onWake: () => {}, onConnected: () => connections++, log };
    advanceableClock();
    const bus = createRedisBus(url.href, listener, { heartbeatMs: 50, timeoutMs: 60_000 });
    onTestFinished(() => bus.close());
    await expect.poll(() => connections).toBe(1);
    subscribers[0]!.unpipe().pause();
    await failureLogged(lines);
    await expect.poll(() => connections).toBe(2);
  });
}
