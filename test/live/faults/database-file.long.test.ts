/** Repeated faults of a SQLite file under load: every acknowledged write is kept. */
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startServer } from '../../support/server/server-process.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import type { Fault } from './faults.js';
import { Savers } from './savers.js';

const ROUNDS = 12;
/** Acknowledged saves between two faults. */
const SAVES = 100;

/** Run in another process: closing a file in this process would release the locks of other connections. */
const runOn = (file: string, sql: string) =>
  execFileSync(process.execPath, [
    '-e',
    `const file = require('better-sqlite3')(${JSON.stringify(file)}, { timeout: 60000 }); file.exec(${JSON.stringify(sql)}); file.close()`,
  ]);

const faultsOf = (file: string, savers: Savers): Fault[] => [
  {
    name: 'it is moved away, and back',
    begin() {
      renameSync(file, `${file}.away`);
      return savers.failure();
    },
    end: () => renameSync(`${file}.away`, file),
  },
  { name: 'its log is deleted', begin: () => rmSync(`${file}-wal`) },
  { name: "the log's index is deleted", begin: () => rmSync(`${file}-shm`) },
  { name: 'it is vacuumed', begin: () => runOn(file, 'VACUUM; PRAGMA wal_checkpoint(TRUNCATE)') },
];

it('keeps every acknowledged write during faults of its file', async () => {
  const file = temporaryFile();
  const server = await startServer({ DATABASE_URL: `file:${file}` });
  const savers = new Savers(server);
  await savers.start();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { begin, end } of faultsOf(file, savers)) {
      await savers.more(SAVES);
      await begin();
      await end?.();
    }
  }
  await savers.more(SAVES);
  await savers.stop();
  server.kill('SIGKILL');
  await server.exited;
  const database = new Database(file);
  const ids = new Set(database.prepare('SELECT "id" FROM "messages"').pluck().all());
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
  expect(savers.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  expect([...savers.codes]).toEqual(['DATABASE_UNAVAILABLE']);
});
