/** Contents that take longer to store than announcements are kept. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import { MessageFiles } from '../../../src/features/files/message-files.js';
import { openFileStorage } from '../../../src/features/files/open-files.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { sha256 } from './file-server.js';

it('is refused, and leaves nothing in the storage', async () => {
  const database = await temporaryDatabase();
  const folder = temporaryFolder();
  const storage = await openFileStorage(`file:${folder}`);
  let now = Date.now();
  const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1_000, now: () => now });
  const slow: typeof storage = {
    maxBytes: storage.maxBytes,
    read: (...args) => storage.read(...args),
    remove: (key) => storage.remove(key),
    size: (key) => storage.size(key),
    async put(...args) {
      now += 25 * 60 * 60_000;
      // The sweep of another server removes the content that has not arrived.
      for (const key of await records.removable(10)) {
        await storage.remove(key);
        await records.forget(key);
      }
      await storage.put(...args);
    },
  };
  const limits = { maxFileBytes: 1_000, maxUserFileBytes: 1_000, maxTotalFileBytes: 1_000 };
  const files = new MessageFiles({
    records,
    storage: () => Promise.resolve(slow),
    limits,
    temporaryFolder: () => Promise.resolve(storage.temporaryFolder!),
  });
  const path = join(storage.temporaryFolder!, 'arrived');
  writeFileSync(path, 'content');
  const staged = { path, size: 7, sha256: sha256('content'), mediaType: 'text/plain' };
  await expect(files.add('ann', staged)).rejects.toThrow('took more than a day');
  const keys: string[] = [];
  for await (const some of storage.keys!()) keys.push(...some);
  expect(keys).toEqual([]);
  await database.remove();
});
