/** Copies contents with their rows, and verifies each by its hash. Files that the target has are not copied again. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileStorageError, newStorageKey } from '../../files/storage/file-storage.js';
import { DatabaseFileRecords } from '../../database/files/database-file-records.js';
import { storedFiles, type StoredFile } from '../../database/files/stored-files.js';
import { useFiles } from '../../database/files/use-files.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import type { Side } from './side.js';

const FILES_PER_STEP = 250;

/**
 * Gives the owner of a chat all files of its messages.
 * @throws CopyFault for a content that is missing, broken or too large for the target
 */
export async function copyFilesOfChat(source: Side, target: Side, chat: { id: string; userId: string }): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after;
    const rows: { fileId: string }[] = await source.read((db) =>
      db.rows<{ fileId: string }>(source.sql.filesOfChat(chat.id, from, FILES_PER_STEP)),
    );
    const ids = rows.map(({ fileId }) => fileId);
    await copyFiles(source, target, chat.userId, ids);
    after = ids.length < FILES_PER_STEP ? undefined : ids.at(-1);
  }
}

/**
 * Copies the files of all users, also those without a message.
 * @param onFault is called for each that cannot be copied
 */
export async function copyUserFiles(
  source: Side,
  target: Side,
  onFault: (fileId: string, fault: CopyFault) => void,
): Promise<void> {
  let last: { userId: string; fileId: string } | undefined = { userId: '', fileId: '' };
  while (last !== undefined) {
    const { userId, fileId }: { userId: string; fileId: string } = last;
    const rows: { userId: string; fileId: string }[] = await source.read((db) =>
      db.rows<{ userId: string; fileId: string }>(source.sql.userFilesAfter(userId, fileId, FILES_PER_STEP)),
    );
    for (const row of rows) {
      try {
        await copyFiles(source, target, row.userId, [row.fileId]);
      } catch (error) {
        if (!(error instanceof CopyFault)) throw error;
        onFault(row.fileId, error);
      }
    }
    last = rows.length < FILES_PER_STEP ? undefined : rows.at(-1);
  }
}

async function copyFiles(source: Side, target: Side, userId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const there = new Set((await storedFiles(target, ids)).map(({ id }) => id));
  if (there.size > 0) await target.write('files', (tx) => useFiles(tx, target.sql, userId, [...there]));
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length === 0) return;
  for (const file of await storedFiles(source, missing)) await copyFile(source, target, userId, file);
}

async function copyFile(source: Side, target: Side, userId: string, file: StoredFile): Promise<void> {
  const { id, size } = file;
  const contents = await target.contents();
  if (size > contents.maxBytes) {
    const most = `the storage of the target takes files of at most ${contents.maxBytes}; choose another with --files-to`;
    throw new CopyFault(`its file "${id}" has ${size} bytes, and ${most}`);
  }
  const records = new DatabaseFileRecords(target, { unusedForMs: Infinity });
  const storageKey = newStorageKey(id);
  const { temporaryFolder } = contents;
  const folder = temporaryFolder ?? (await mkdtemp(join(tmpdir(), 'parley-copy-')));
  const path = join(folder, `copy-${randomUUID()}`);
  try {
    if (!(await download(source, file, path))) return;
    await records.announce(storageKey);
    await contents.put(storageKey, path, size);
    await records.add(userId, { ...file, storageKey });
  } finally {
    await rm(temporaryFolder === undefined ? folder : path, { recursive: true, force: true });
  }
}

/**
 * @returns false when the source has removed the file meanwhile
 * @throws CopyFault when its content is not that of its hash
 */
async function download(source: Side, { id, size, storageKey }: StoredFile, path: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    const content = await (await source.contents()).read(storageKey, { start: 0, end: size - 1 });
    content.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (!(error instanceof FileStorageError) || (error.fault !== 'MISSING' && error.fault !== 'BROKEN')) throw error;
    if ((await storedFiles(source, [id])).length === 0) return false;
    throw new CopyFault(`the content of its file "${id}" is ${error.fault === 'MISSING' ? 'missing' : 'incomplete'}`);
  }
  if (hash.digest('hex') === id) return true;
  throw new CopyFault(`the content of its file "${id}" has another hash`);
}
