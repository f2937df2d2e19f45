import { expect, it } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';
import { DAY_MS, sweepFiles } from './sweep.js';

it('leaves a file to its user when a save that refers to it commits during a sweep', async () => {
  const server = await startFileServer();
  const { databaseUrl } = server;
  const ann = await server.as('ann');
  await ann.createChat('a');
  await ann.upload(PNG);
  await ann.save('a', 'm', withFile(`parley:file:${sha256(PNG)}`));
  // The save again, in a transaction that lasts longer than a file stays unused.
  const save = await rawDatabase(databaseUrl);
  await save.run('CREATE TEMPORARY TABLE saved AS SELECT * FROM message_files');
  await save.run('DELETE FROM message_files');
  await save.run('BEGIN; UPDATE user_files SET "usedAt" = "usedAt"; INSERT INTO message_files SELECT * FROM saved');
  const swept = sweepFiles(databaseUrl, 2 * DAY_MS);
  const observer = await rawDatabase(databaseUrl);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%user_files%'`;
  await expect.poll(() => observer.rows(waiting)).toHaveLength(1);
  await save.run('COMMIT');
  expect(await swept).toEqual([sha256(PNG)]);
  expect(await observer.rows('SELECT "userId" FROM user_files')).toEqual([{ userId: 'ann' }]);
});
