/** The cost of webhooks, monthly usage, storage quotas and replicas for a save. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '../../../src/database/opening/open.js';
import { costs, cpuRatioOf } from '../measuring/cost.js';
import { writeChain } from '../measuring/fixture.js';
import { saveTurn } from '../measuring/http-saves.js';
import type { Ratio } from '../measuring/report.js';
import { withServers } from '../measuring/server.js';

/** @param standbyUrl of a standby of the database, for a server that reads from it */
export async function* measureSaveFeatures(database: string, url: string, standbyUrl?: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const chatId of ['plain', 'usage', 'hook', 'quota', 'replica']) await writeChain(store, chatId, 2);
  await store.close();
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const receiving = {
    name: 'bench',
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    secrets: [`whsec_${randomBytes(32).toString('base64')}`],
    events: ['branch.head_moved'],
    allowPrivateAddresses: true,
  };
  try {
    // Each a server of its own: a process that writes more of a SQLite file reads less of it again.
    const settings: Record<'plain' | 'usage' | 'hook' | 'quota' | 'replica', Record<string, string>> = {
      plain: {},
      usage: {},
      hook: { WEBHOOKS: JSON.stringify([receiving]) },
      quota: { STORAGE_QUOTA_BYTES: '1000000000' },
      replica: standbyUrl === undefined ? {} : { READ_DATABASE_URL: standbyUrl },
    };
    const measured = await withServers(url, settings, ({ plain, usage, hook, quota, replica }) =>
      costs({
        plain: { pid: plain.pid, request: () => saveTurn(plain.post, 'plain') },
        usage: { pid: usage.pid, request: () => saveTurn(usage.post, 'usage', USAGE) },
        hook: { pid: hook.pid, request: () => saveTurn(hook.post, 'hook') },
        quota: { pid: quota.pid, request: () => saveTurn(quota.post, 'quota') },
        replica: { pid: replica.pid, request: () => saveTurn(replica.post, 'replica') },
      }),
    );
    yield cpuRatioOf(`${database}: a save and its webhook against a save`, measured.hook, measured.plain);
    yield cpuRatioOf(`${database}: a save that states its tokens against a save`, measured.usage, measured.plain);
    yield cpuRatioOf(`${database}: a save with a storage quota against a save`, measured.quota, measured.plain);
    if (standbyUrl === undefined) return;
    yield cpuRatioOf(`${database}: a save with a replica against a save`, measured.replica, measured.plain);
  } finally {
    receiver.close().closeAllConnections();
  }
}

const USAGE = { model: 'a-model', usage: { inputTokens: 1_200, outputTokens: 340 } };
