/** The files of a choice or a drop, also those in folders. */

/** The largest number of files of one choice, and of entries that are read for them. */
export const MAX_FILES = 1_000;
const MAX_ENTRIES = 20_000;

/** In folders, other files are left out: an export may contain thousands of images. */
const EXTENSIONS = /\.(jsonl?|ndjson|html?|zip|gz|db|sqlite3?|bin)$/i;

export interface ChosenFile {
  file: File;
  /** The name, with the folders above it. */
  path: string;
}

export interface ChosenFiles {
  files: readonly ChosenFile[];
  /** The number of files that were left out. */
  skipped: number;
}

/** @param given files, and the entries of a drop */
export async function filesIn(given: readonly (File | FileSystemEntry)[]): Promise<ChosenFiles> {
  const files: ChosenFile[] = [];
  let skipped = 0;
  let entries = 0;
  const add = (file: File, path: string, isInFolder: boolean) => {
    if (files.length < MAX_FILES && (!isInFolder || EXTENSIONS.test(path))) files.push({ file, path });
    else skipped++;
  };
  const pending: (File | FileSystemEntry)[] = [...given].reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (++entries > MAX_ENTRIES) return { files, skipped: skipped + pending.length + 1 };
    if (next instanceof File) add(next, next.webkitRelativePath || next.name, next.webkitRelativePath !== '');
    else if (next.isDirectory) {
      const inside = await entriesOf(next as FileSystemDirectoryEntry);
      pending.push(...inside.sort((a, b) => (a.name < b.name ? 1 : -1)));
    } else {
      const path = next.fullPath.replace(/^\//, '');
      // A file that was deleted meanwhile.
      const file = await fileOf(next as FileSystemFileEntry).catch(() => null);
      if (file === null) skipped++;
      else add(file, path, path.includes('/'));
    }
  }
  return { files, skipped };
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader returns at most 100 entries at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  while (found.length < MAX_ENTRIES) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) break;
    found.push(...some);
  }
  return found;
}
