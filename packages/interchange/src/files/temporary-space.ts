/** Temporary files for data that is too large for memory. */
import type { SourceFile } from './source-text.js';
import { UnreadableError } from '../file-values.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  /** Deletes the folder with all files in it. */
  remove(): void;
}

let create = (): TemporaryFolder => temporaryFolderIn(tmpdir(), 'parley-interchange-');

/** Replaces how this process creates temporary folders: the server locks each one, so that it finds abandoned ones. */
export function createTemporaryFoldersWith(replacement: () => TemporaryFolder): void {
  create = replacement;
}

/** @throws Error with the file system's code when the folder cannot be written: see temporarySpaceFault */
export function createTemporaryFolder(): TemporaryFolder {
  return create();
}

/** @param prefix the start of its name */
export function temporaryFolderIn(parent: string, prefix: string): TemporaryFolder {
  const path = mkdtempSync(join(parent, prefix));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE', 'ENFILE']);

/**
 * Runs an action with temporary files.
 * @throws UnreadableError when the disk is full
 */
export function withTemporarySpace<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw temporarySpaceFault(error);
  }
}

/** @returns the error itself for other errors */
export function temporarySpaceFault(error: unknown): unknown {
  if (!NO_SPACE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) return error;
  return new UnreadableError('temporary files cannot be written: free disk space, or set TMPDIR to another folder');
}

/**
 * Opens a file in a new temporary folder, which is deleted when the file is closed or cannot be opened.
 * @throws UnreadableError when the disk is full
 */
export async function openInFolder(open: (folder: string) => Promise<SourceFile>): Promise<SourceFile> {
  let folder: TemporaryFolder | null = null;
  try {
    const { path, remove } = (folder = createTemporaryFolder());
    const file = await open(path);
    return { ...file, close: () => file.close().finally(remove) };
  } catch (error) {
    folder?.remove();
    throw temporarySpaceFault(error);
  }
}
