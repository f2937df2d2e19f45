/** Imports ignore or refuse times in the future. */
import { expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { MAX_CLOCK_SKEW_MS } from '@parley/interchange/server';
import { databaseForEach } from '../../support/database/database-scope.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { chainOf } from './forged/forged-files.js';
import { importContent, onlyChat } from './imported-chats.js';
import { insertions, SQLITE_TABLES, T, TRIPS } from './original/original-fixture.js';
import { conversation, nodeOf } from './readers/chatgpt-export.js';
import { importTo } from '../exports/run-export.js';

const database = databaseForEach();

const FAR_MS = Date.UTC(9999, 0, 1);
const FAR = new Date(FAR_MS).toISOString();
const WARNING = 'left out: more than 24 hours after the time of the import';

it('ignores future times of a conversation of another system, with a warning and their number', async () => {
  const exported = conversation(['(r)', 'a < r', 'b < a'], { create_time: FAR, update_time: FAR });
  nodeOf(exported, 'a').message!['create_time'] = 1000;
  nodeOf(exported, 'b').message!['create_time'] = FAR_MS / 1000;
  const report = await importContent(database, [exported]);
  expect(report.warnings.kept).toEqual([expect.stringContaining(`3 times were ${WARNING}`)]);
  const chat = await onlyChat(database);
  expect([chat.createdAt, chat.updatedAt, ...chat.messages.map(({ createdAt }) => createdAt)]).toEqual([
    1_000_000, 1_000_000, 1_000_000, 1_000_000,
  ]);

  const later = conversation(['(r)', 'a < r', 'b < a', 'c < b'], { current_node: 'c', update_time: 2000 });
  await importContent(database, [later]);
  expect((await onlyChat(database)).branches).toEqual({ main: 'c' });
});

it('accepts times within the allowed clock skew', async () => {
  const ahead = Date.now() + MAX_CLOCK_SKEW_MS - 60_000;
  const exported = conversation(['(r)', 'a < r'], { update_time: ahead / 1000 });
  expect((await importContent(database, [exported])).warnings.kept).toEqual([]);
  expect((await onlyChat(database)).updatedAt).toBe(ahead);
});

it('refuses a chat of Parley with a future time in any line', async () => {
  const lines = chainOf('own', ['own-1', 'own-2']).map((line) => JSON.stringify(line));
  const url = `file:${temporaryFile()}`;
  const dated = lines.flatMap((line, n) =>
    ['createdAt', 'updatedAt'].flatMap((name) => {
      const late = line.replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":"${FAR}"`);
      return late === line ? [] : [lines.with(n, late)];
    }),
  );
  expect(dated.length).toBeGreaterThan(8);
  for (const file of dated) {
    const path = `${temporaryFile()}.jsonl`;
    writeFileSync(path, file.join('\n'));
    const { code, out } = await importTo(url, path);
    expect([code, out.at(-1)]).toEqual([
      1,
      expect.stringContaining('must not be more than 24 hours after the time of'),
    ]);
  }
});

it('ignores future times in a database of @deepagents/context', async () => {
  const path = temporaryFile();
  const db = new Database(path).exec(SQLITE_TABLES);
  for (const { text, values } of insertions(TRIPS)) {
    db.prepare(text).run(values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
  }
  db.exec(`UPDATE chats SET updatedAt = ${FAR_MS}; UPDATE messages SET createdAt = ${FAR_MS} WHERE id = 'a3';
    UPDATE branches SET createdAt = ${FAR_MS} WHERE id = 'v2-of-trip'; UPDATE checkpoints SET createdAt = ${FAR_MS}`);
  db.close();
  for (const result of [
    '2 conversations imported',
    '0 conversations imported (0 messages), 0 updated (0 new messages), 2',
  ]) {
    const { code, out } = await importTo(database.url, path);
    expect([code, out[0]]).toEqual([0, expect.stringContaining(result)]);
    expect(out.join('\n')).toContain(`4 times were ${WARNING}`);
  }
  const { chats, messages, branches, checkpoints, events } = await database.allRows();
  for (const rows of [chats, messages, branches, checkpoints, events]) {
    for (const { createdAt } of rows) expect(createdAt).toBeLessThanOrEqual(T(9));
  }
  for (const { updatedAt } of chats) expect(updatedAt).toBeLessThanOrEqual(T(9));
});
