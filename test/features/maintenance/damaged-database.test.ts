/** Backups, checks and restores of damaged SQLite files. */
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { compareCopy } from '../../../src/features/maintenance/backups/database-copy.js';
import { command as backup } from '../../../src/features/maintenance/backup-command.js';
import { command as check } from '../../../src/features/maintenance/check-command.js';
import { command as restore } from '../../../src/features/maintenance/restore-command.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { damagingDatabase } from '../../support/database/raw-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { atDatabase, changeRows } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';
import { adoptDatabase } from './adopt-database.js';

/** The numbers of the leaf pages of a table or an index, and the bytes of a page. */
function leavesOf(path: string, name: string): { leaves: number[]; pageBytes: number } {
  const database = new Database(path, { readonly: true });
  try {
    const pages = database.prepare(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path`);
    return {
      leaves: pages.pluck().all(name) as number[],
      pageBytes: Number(database.pragma('page_size', { simple: true })),
    };
  } finally {
    database.close();
  }
}

function overwriteMiddleLeaf(name: string) {
  return (path: string) => {
    const { leaves, pageBytes } = leavesOf(path, name);
    expect(leaves.length).toBeGreaterThan(2);
    const page = leaves[Math.floor(leaves.length / 2)] ?? 0;
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, (page - 1) * pageBytes);
    closeSync(file);
  };
}

const DAMAGES: [what: string, damage: (path: string) => void, table: RegExp][] = [
  ['a page of a table', overwriteMiddleLeaf('messages'), /^messages: its pages are damaged: /m],
  [
    'a page of an index',
    overwriteMiddleLeaf('messages_chatId_parentId_siblingIndex_key'),
    /^messages: its pages are damaged: /m,
  ],
  [
    'a page of the search index',
    overwriteMiddleLeaf('messages_fts_data'),
    /^messages_fts_data: its pages are damaged: /m,
  ],
  ['a lost end', (path) => truncateSync(path, 300_000), /^the file: its pages are damaged: /m],
  ['a lost schema', (path) => truncateSync(path, 1_000), /^the file: its pages are damaged: /m],
];

/** A database whose tables have many pages. */
let database: Buffer;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const path = join(folder, 'parley.db');
  await atDatabase(`file:${path}`, ({ store }) => writeChain(store, 'c', 1_000));
  await changeRows(`file:${path}`, (tx) => tx.run(sql`INSERT INTO chat_title_words VALUES ('c', 'word')`));
  database = readFileSync(path);
  rmSync(folder, { recursive: true });
});

function sound() {
  const folder = temporaryFolder();
  const path = join(folder, 'parley.db');
  writeFileSync(path, database);
  const target = join(folder, 'backup');
  const restored = join(folder, 'restored.db');
  const environment = { DATABASE_URL: `file:${path}` };
  return {
    path,
    target,
    restored,
    backUp: () => runHere('backup', backup, [target], { environment }),
    check: () => runHere('check', check, [], { environment }),
    restore: (...options: string[]) =>
      runHere('restore', restore, [target, ...options], { environment: { DATABASE_URL: `file:${restored}` } }),
  };
}

it.each(DAMAGES)('a file with %s is not backed up, and the damaged table is named', async (_, damage, table) => {
  const { path, target, backUp, check } = sound();
  damage(path);
  const { code, error } = await backUp();
  expect([code, error.join('\n')]).toEqual([1, expect.stringMatching(table)]);
  expect([existsSync(target), existsSync(`${target}.incomplete`)]).toEqual([false, false]);
  const checked = await check();
  expect([checked.code, checked.error.join('\n')]).toEqual([1, expect.stringMatching(table)]);
});

it.each(DAMAGES)('a backup with %s is not restored, and the damaged table is named', async (_, damage, table) => {
  const { target, restored, backUp, restore } = sound();
  expect(await backUp()).toMatchObject({ code: 0, error: [] });
  damage(join(target, 'parley.db'));
  adoptDatabase(target);
  for (const options of [[], ['--no-migrate']]) {
    const { code, error } = await restore(...options);
    expect([code, error.join('\n')]).toEqual([1, expect.stringMatching(table)]);
  }
  expect(readdirSync(join(restored, '..')).filter((name) => name.startsWith('restored'))).toEqual([]);
});

it('a row that references a missing one fails a backup, a check and a restore', async () => {
  const { path, target, backUp, check } = sound();
  await (await damagingDatabase(`file:${path}`)).run(`DELETE FROM messages WHERE "id" = 'c-700'`);
  const missing: unknown = expect.stringMatching(
    /^messages rowid=\d+: it references a row of messages that is missing$/m,
  );
  const { code, error } = await backUp();
  expect([code, error.join('\n'), existsSync(target)]).toEqual([1, missing, false]);
  expect((await check()).error.join('\n')).toEqual(missing);
});

it('a backup with a row that a restore would refuse is complete, and its finding is printed', async () => {
  const { path, target, backUp, restore } = sound();
  await (await damagingDatabase(`file:${path}`)).run(`UPDATE messages SET "depth" = 7 WHERE "id" = 'c-700'`);
  const finding: unknown = expect.stringMatching(/^messages .*id="c-700": depth is not that of its parent plus one/m);
  const backedUp = await backUp();
  expect([backedUp.code, backedUp.error.join('\n'), existsSync(target)]).toEqual([1, finding, true]);
  const { code, error } = await restore();
  expect([code, error.join('\n')]).toEqual([1, finding]);
  expect((await restore('--no-migrate')).code).toBe(0);
});

it.each([
  ['messages has a row with other values', `UPDATE messages SET "data" = '"other"' WHERE "id" = 'c-700'`],
  ['message_runs has 1 rows instead of 0', `INSERT INTO message_runs VALUES ('c', 5, NULL)`],
  ['chat_title_words has a row with other values', `UPDATE chat_title_words SET "word" = 'other'`],
])('a copy that differs is refused: %s', async (message, change) => {
  const { path } = sound();
  const copy = `${path}.copy`;
  writeFileSync(copy, database);
  const source = new Database(path, { readonly: true });
  onTestFinished(() => void source.close());
  await (await damagingDatabase(`file:${copy}`)).run(change);
  expect(() => compareCopy(source, copy)).toThrow(message);
});
