/**
 * Temporary folders of imports. Each holds a lock that ends with its process, so that a server deletes the folders of
 * processes that were killed, and no others.
 */
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeFailure } from './write-failure.js';
import { createTemporaryFoldersWith, temporaryFolderIn, type TemporaryFolder } from '@parley/interchange/server';

const PREFIX = 'parley-import-';
/** A folder without a lock is younger than its lock, or from a process that could not lock it. */
const UNLOCKED_AGE_MS = 24 * 60 * 60_000;
/** Systems allow 104 to 108 bytes, and Node truncates longer paths of sockets. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Locks the temporary folders that this process creates. */
export function lockTemporaryFolders(): void {
  createTemporaryFoldersWith(createLockedFolder);
}

/** Creates the temporary folders of this process in a folder that another process has locked and deletes. */
export function createTemporaryFoldersIn(folder: string): void {
  createTemporaryFoldersWith(() => temporaryFolderIn(folder, PREFIX));
}

/** @throws Error with the code of the file system where nothing can be written: see temporarySpaceFault */
export function createLockedFolder(): TemporaryFolder {
  const { path, remove } = temporaryFolderIn(tmpdir(), PREFIX);
  const lock = lockFolder(path);
  const unlockAndRemove = () => {
    lock?.close();
    remove();
  };
  return { path, remove: unlockAndRemove };
}

/** Failures that end without a restart. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** @throws Error when no temporary folder can be created in TMPDIR, unless its disk is full */
export function checkTemporaryFolder(): void {
  try {
    temporaryFolderIn(tmpdir(), PREFIX).remove();
  } catch (error) {
    if (PASSING.has((error as NodeJS.ErrnoException).code ?? '')) return;
    throw writeFailure(error, `TMPDIR: a temporary folder in ${tmpdir()}`);
  }
}

/** Deletes the folders of this user whose process has ended. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (name.startsWith(PREFIX)) await removeIfAbandoned(join(tmpdir(), name));
  }
}

async function removeIfAbandoned(path: string): Promise<void> {
  try {
    const stats = await lstat(path);
    if (isOwn(stats) && (await isAbandoned(path, stats))) await rm(path, { recursive: true, force: true });
  } catch {
    // Another server has deleted it.
  }
}

/** A link could lead to files of others. */
function isOwn(stats: Stats): boolean {
  return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
}

/** A process listens on a socket in its folder: the system closes it when the process is killed. */
function lockFolder(path: string): Server | null {
  const socket = socketPath(path);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) return null;
  const server = createServer((connection) => connection.destroy());
  // Without a lock, the folder has its time until UNLOCKED_AGE_MS.
  server.on('error', () => {});
  return server.listen(socket).unref();
}

async function isAbandoned(path: string, { mtimeMs }: Stats): Promise<boolean> {
  const connection = connect(socketPath(path));
  try {
    await once(connection, 'connect');
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return true;
    return code === 'ENOENT' && mtimeMs < Date.now() - UNLOCKED_AGE_MS;
  } finally {
    connection.destroy();
  }
}

function socketPath(folder: string): string {
  return process.platform === 'win32' ? join('\\\\.\\pipe', basename(folder)) : join(folder, 'lock.socket');
}
