/** Copies contents with their rows, and verifies each by its hash. Files that the target has are not copied again. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileStorageError, newStorageKey } from '../../files/file-storage.js';
import type { StoredFile } from '../../conversation/files/file-records.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import type { Side } from './side.js';

/**
 * Gives the owner of a chat all files of its messages.
 * @throws CopyFault for a content that is missing, broken or too large for the target
 */
export async function copyFilesOfChat(source: Side, target: Side, chat: { id: string; userId: string }): Promise<void> {
  for await (const rows of source.files.ofChat(chat.id)) {
    const ids = rows.map(({ fileId }) => fileId);
    await copyFiles(source, target, chat.userId, ids);
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
  for await (const rows of source.files.ofUsers()) {
    for (const row of rows) {
      try {
        await copyFiles(source, target, row.userId, [row.fileId]);
      } catch (error) {
        if (!(error instanceof CopyFault)) throw error;
        onFault(row.fileId, error);
      }
    }
  }
}

async function copyFiles(source: Side, target: Side, userId: string, ids: readonly string[]): Promise<void> {
  const there = new Set((await target.files.stored(ids)).map(({ id }) => id));
  if (there.size > 0) await target.files.use(userId, [...there]);
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length === 0) return;
  for (const file of await source.files.stored(missing)) await copyFile(source, target, userId, file);
}

async function copyFile(source: Side, target: Side, userId: string, file: StoredFile): Promise<void> {
  const { id, size } = file;
  const contents = await target.contents();
  if (size > contents.maxBytes) {
    const most = `the storage of the target takes files of at most ${contents.maxBytes}; choose another with --files-to`;
    throw new CopyFault(`its file "${id}" has ${size} bytes, and ${most}`);
  }
  const records = target.files;
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
    if ((await source.files.stored([id])).length === 0) return false;
    throw new CopyFault(`the content of its file "${id}" is ${error.fault === 'MISSING' ? 'missing' : 'incomplete'}`);
  }
  if (hash.digest('hex') === id) return true;
  throw new CopyFault(`the content of its file "${id}" has another hash`);
}
