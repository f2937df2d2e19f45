/** Notifies the processes of one database with Redis publish and subscribe. */
import { Redis, type RedisOptions } from 'ioredis';
import type { Bus, BusListener } from '../../events/bus.js';
import { reconnectingBus, type BusConnection, type ConnectionEvents, type Pace } from './reconnecting-bus.js';

/** Redis shares channels between its numbered databases. */
const CHANNEL = 'parley';

/**
 * A bus on two connections: a subscribed connection accepts no other commands.
 * @param url `redis://` or, with TLS, `rediss://user:password@host:port/db`
 */
export function createRedisBus(url: string, listener: BusListener, pace?: Pace): Bus {
  return reconnectingBus('Redis', (events, timeoutMs) => connect(url, events, timeoutMs), listener, pace);
}

function connect(url: string, events: ConnectionEvents, timeoutMs: number): BusConnection {
  const options: RedisOptions = {
    connectionName: 'parley-bus',
    lazyConnect: true,
    // A failed connection closes the other, and both reconnect.
    retryStrategy: () => null,
    enableOfflineQueue: false,
    // The check sends INFO, which the user may not be allowed to, and waits for unused data.
    enableReadyCheck: false,
    disableClientInfo: true,
    commandTimeout: timeoutMs,
    // Sends QUIT without waiting for its response, in milliseconds.
    disconnectTimeout: 0,
  };
  const subscriber = new Redis(url, options);
  const publisher = new Redis(url, options);
  const both = [subscriber, publisher];
  // Read now: the status of a connection that ended early can become "ready" later.
  const ends = both.map((redis) => new Promise((resolve) => redis.once('end', resolve)));
  for (const redis of both) {
    redis.on('error', events.onLost);
    redis.on('end', () => events.onLost(new Error('the connection has ended')));
  }
  subscriber.on('message', (_channel, payload) => events.onPayload(payload));
  const listen = async () => {
    await Promise.all(both.map((redis) => redis.connect()));
    await Promise.all([subscriber.subscribe(CHANNEL), publisher.ping()]);
  };
  return {
    listening: listen(),
    async send(payloads) {
      const pipeline = publisher.pipeline();
      for (const payload of payloads) pipeline.publish(CHANNEL, payload);
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    },
    ping: () => Promise.all(both.map((redis) => redis.ping())),
    destroy() {
      for (const redis of both) redis.disconnect();
      return Promise.all(ends);
    },
  };
}
