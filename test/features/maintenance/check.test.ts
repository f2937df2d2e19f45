/** Runs `npm run check` in this process. test/database/check.test.ts tests its findings. */
import { fileService, openFileStorage } from '../../../src/features/files/open-files.js';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { command } from '../../../src/features/maintenance/check-command.js';
import { writeChildren } from '../../support/chats/large-chats.js';
import { damagingDatabase } from '../../support/database/raw-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';

let url: string;
beforeEach(async () => {
  url = `file:${temporaryFile()}`;
  await atDatabase(url, ({ store }) => writeChildren(store, 'c', 29));
});

const run = (args: readonly string[] = [], databaseUrl = url) =>
  runHere('check', command, args, { environment: { DATABASE_URL: databaseUrl } });

const damage = async (sql: string) => (await damagingDatabase(url)).run(sql);

describe('npm run check', () => {
  it('exits with 0 and counts the rows of a sound database', async () => {
    expect(await run()).toEqual({ code: 0, out: ['94 rows checked: no findings.'], error: [] });
    const json = JSON.stringify({ rows: 94, findings: [], totals: {} });
    expect(await run(['--json'])).toEqual({ code: 0, out: [json], error: [] });
  });

  it('exits with 1 and names the table, the row and the problem of each finding', async () => {
    await damage(`UPDATE messages SET "depth" = 7 WHERE "id" = 'c-5'; UPDATE chats SET "version" = 9`);
    const problem = 'depth is not that of its parent plus one, or 0 for a root';
    const version = 'version is not the seq of its newest event';
    expect(await run()).toEqual({
      code: 1,
      out: ['94 rows checked: 2 findings.'],
      error: [`chats id="c": ${version}`, `messages chatId="c" seq=7 id="c-5": ${problem}`],
    });
    const { code, out } = await run(['--json']);
    expect([code, JSON.parse(out.join())]).toEqual([
      1,
      {
        rows: 94,
        findings: [
          { table: 'chats', row: { id: 'c' }, problem: version },
          { table: 'messages', row: { chatId: 'c', seq: 7, id: 'c-5' }, problem },
        ],
        totals: { [`chats: ${version}`]: 1, [`messages: ${problem}`]: 1 },
      },
    ]);
  });

  it('prints 20 findings of a kind, and the number of others', async () => {
    await damage('UPDATE messages SET "depth" = 7 WHERE "depth" = 1');
    const { code, out, error } = await run();
    expect([code, out, error.length]).toEqual([1, ['94 rows checked: 29 findings.'], 21]);
    expect(error.at(-1)).toMatch(/^messages: depth is not .*: 9 more$/);
  });

  it('reports a missing file in one line, and creates none', async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const missing = `file:${url.slice('file:'.length)}.missing`;
      const { code, error } = await run([], missing);
      expect([code, error]).toEqual([1, [expect.stringMatching(/there is no such file$/)]]);
    }
  });
});

describe('contents of files', () => {
  /** A chat with one file per content, and the paths of the contents. */
  async function writeFiles(contents: readonly string[]) {
    const folder = `${url.slice('file:'.length)}.files`;
    const storage = await openFileStorage(`file:${folder}`);
    const paths: string[] = [];
    await atDatabase(url, async ({ connection }) => {
      const records = fileService.records(connection);
      for (const content of contents) {
        const id = createHash('sha256').update(content).digest('hex');
        const storageKey = `${id.slice(0, 2)}/${id}-1`;
        const path = join(storage.temporaryFolder!, 'arrived');
        writeFileSync(path, content);
        await records.announce(storageKey);
        await storage.put(storageKey, path, content.length);
        rmSync(path);
        await records.add('ann', { id, mediaType: 'text/plain', size: content.length, storageKey });
        paths.push(join(folder, storageKey));
      }
    });
    return { folder, paths };
  }

  it('are found missing, of another size, and without a row', async () => {
    const { folder, paths } = await writeFiles(['one', 'two', 'three']);
    expect(await run()).toMatchObject({ code: 0, error: [] });
    const [one, two, three] = paths as [string, string, string];
    rmSync(one);
    writeFileSync(two, 'longer');
    renameSync(three, `${three}a`);
    writeFileSync(join(folder, 'notes.txt'), 'by hand');
    const { code, error } = await run();
    const idOf = (path: string) => basename(path).slice(0, 64);
    expect([code, error.sort()]).toEqual([
      1,
      [
        `files id="${idOf(one)}" size=3: its content is missing in the storage`,
        `files id="${idOf(three)}" size=5: its content is missing in the storage`,
        `files id="${idOf(two)}" size=3 actual=6: its content has another size than its row`,
        `files storageKey="${relative(folder, three)}a": a content in the storage has no row`,
        `files storageKey="notes.txt": a content in the storage has no row`,
      ].sort(),
    ]);
  });

  it('are sound while they are announced, and no folder is created', async () => {
    await run();
    expect(existsSync(`${url.slice('file:'.length)}.files`)).toBe(false);
    const { folder } = await writeFiles(['one']);
    const key = `aa/${'a'.repeat(64)}-1`;
    await atDatabase(url, ({ connection }) => fileService.records(connection).announce(key));
    mkdirSync(join(folder, 'aa'), { recursive: true });
    writeFileSync(join(folder, key), 'arriving');
    expect(await run()).toMatchObject({ code: 0, error: [] });
  });
});
