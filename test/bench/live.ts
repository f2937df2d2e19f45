/** The cost of following a chat, and the delay of its events. */
import { join } from 'node:path';
import { canReadCpuTime } from './measuring/cpu-time.js';
import { printDelays, printDelaysHead } from './live/delays.js';
import { measureFanOut } from './live/fan-out.js';
import { startRedis } from './live/redis.js';
import { withPostgresql } from './measuring/postgresql.js';
import type { Ratio } from './measuring/report.js';

/** Prints a separate table after the ratios, so it must be measured last. */
export async function* measureLive(folder: string): AsyncGenerator<Ratio> {
  if (canReadCpuTime) yield* measureFanOut(`file:${join(folder, 'fan-out.db')}`);
  else console.log('The fan-out is left out: this system does not tell what other processes use of the processor.');

  const file = (name: string) => ({ DATABASE_URL: `file:${join(folder, `${name}.db`)}` });
  printDelaysHead();
  await printDelays('one server on SQLite', file('one'), true);
  const redis = await startRedis();
  if (redis === null) console.log('| two servers on SQLite, with Redis: left out, there is no redis-server | | |');
  else {
    try {
      await printDelays('two servers on SQLite, with Redis', { ...file('two'), REDIS_URL: redis.url });
    } finally {
      await redis.stop();
    }
  }
  yield* withPostgresql(async function* (url) {
    const settings = { DATABASE_URL: url, MIGRATE_ON_START: 'true' };
    await printDelays('one server on PostgreSQL', { ...settings, DATABASE_URL: `${url}?schema=one` }, true);
    await printDelays('two servers on PostgreSQL', { ...settings, DATABASE_URL: `${url}?schema=two` });
  });
}
