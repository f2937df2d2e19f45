/** Temporary folders for values and zips that are too large for memory. */
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
