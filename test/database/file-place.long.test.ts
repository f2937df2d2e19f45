/** The start refuses files that cannot be a SQLite database, or would lose data. */
import { linkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/opening/open.js';
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js';

async function open(path: string) {
  const { store } = await openDatabase({ url: `file:${path}` });
  onTestFinished(() => store.close());
}

it('refuses a file with two hard links under either name, because changes under one name would be lost under the other', async () => {
  const path = temporaryFile();
  await open(path);
  const other = join(temporaryFolder(), 'other.db');
  linkSync(path, other);
  for (const each of [other, path]) {
    await expect(open(each)).rejects.toThrow(`Cannot use the database file:${each}: the file has 2 names (hard links)`);
  }
});

it('treats a symbolic link as its target', async () => {
  const path = temporaryFile();
  await open(path);
  const other = join(temporaryFolder(), 'other.db');
  symlinkSync(path, other);
  await open(other);
});
