/** Exports in several zips: in a zip from ChatGPT's privacy page, or in a folder. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import type { SourceFile, SourceText } from '../source-text.js';
import { openInFolder } from '../temporary-space.js';
import { UnreadableError } from '../../file-values.js';
import { checkUnpacked } from '../gzip.js';

/** A zip hardly shrinks when packed again. */
const MAX_GROWTH = 10;
/** ChatGPT's parts have several hundred megabytes each. */
const MAX_PARTS = 300;

/** Opens a zip by its path; the name is used in messages. */
export type OpenPart = (path: string, name: string) => Promise<SourceFile>;

interface Part {
  name: string;
  /** Bytes of the zip. */
  size: number;
  /** @throws UnreadableError when it is damaged, or the disk is full */
  open(): Promise<SourceFile>;
}

/**
 * @param close closes the zip of the parts
 * @param leftOut the files beside the parts; see SourceFile
 * @throws UnreadableError for too many parts, or parts that are too large
 */
export function openPartsOf(
  zip: ZipFile,
  entries: readonly Entry[],
  openPart: OpenPart,
  close: () => void,
  leftOut: readonly string[],
): SourceFile {
  checkCount(entries.length);
  const sum = (size: (entry: Entry) => number) => entries.reduce((total, entry) => total + size(entry), 0);
  const [packed, unpacked] = [
    sum(({ compressedSize }) => compressedSize),
    sum(({ uncompressedSize }) => uncompressedSize),
  ];
  checkUnpacked('The zip file', packed, unpacked, MAX_GROWTH);
  const parts = entries.map((entry): Part => ({
    name: entry.fileName,
    size: entry.uncompressedSize,
    open: () =>
      openInFolder(async (folder) => {
        const path = join(folder, 'part.zip');
        await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path, { mode: 0o600 }));
        return openPart(path, entry.fileName);
      }).catch(rethrow),
  }));
  return fileOf(parts, close, leftOut);
}

/** @throws UnreadableError for too many parts */
export async function openPartFiles(
  files: readonly { name: string; path: string }[],
  openPart: OpenPart,
  leftOut: readonly string[],
): Promise<SourceFile> {
  checkCount(files.length);
  const parts: Part[] = [];
  for (const { name, path } of files) {
    parts.push({ name, size: (await stat(path)).size, open: () => openPart(path, name) });
  }
  return fileOf(parts, () => {}, leftOut);
}

/** One part is open at a time. An unreadable part is reported when it is reached, and does not stop the others. */
function fileOf(parts: readonly Part[], close: () => void, leftOutBeside: readonly string[]): SourceFile {
  const leftOut = [...leftOutBeside];
  let bytesOfPrevious = 0;
  let current: { part: Part; file: SourceFile } | null = null;
  async function* texts(): AsyncGenerator<SourceText> {
    let isEmpty = true;
    for (const part of parts) {
      for await (const text of textsOf(part)) {
        isEmpty = false;
        yield text;
      }
      bytesOfPrevious += part.size;
    }
    if (isEmpty) yield unreadable(null, new UnreadableError('the zips of conversations contain none'));
  }
  async function* textsOf(part: Part): AsyncGenerator<SourceText> {
    const { name } = part;
    let file: SourceFile;
    try {
      file = await part.open();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      yield unreadable(name, error);
      return;
    }
    leftOut.push(...(file.leftOut ?? []).map((line) => `${name}/${line}`));
    current = { part, file };
    try {
      for await (const text of file.texts) yield { ...text, name: `${name}/${text.name}`, files: file.files };
    } finally {
      current = null;
      await file.close();
    }
  }
  return {
    texts: texts(),
    files: null,
    leftOut,
    size: parts.reduce((sum, { size }) => sum + size, 0),
    // The open part unpacks to more than its size; count at most its size.
    bytesRead: () => bytesOfPrevious + (current === null ? 0 : Math.min(current.part.size, current.file.bytesRead())),
    close: async () => close(),
  };
}

function checkCount(parts: number): void {
  if (parts > MAX_PARTS)
    throw new UnreadableError(`An export must have at most ${MAX_PARTS} zips as parts, got ${parts}`);
}

function unreadable(name: string | null, error: UnreadableError): SourceText {
  return { name, isMaybe: false, bytes: () => failing(error) };
}

async function* failing(error: UnreadableError): AsyncGenerator<Uint8Array> {
  throw error;
}

/** Converts errors of the library to an UnreadableError. */
export function rethrow(error: unknown): never {
  if (error instanceof UnreadableError) throw error;
  const message = error instanceof Error ? error.message : String(error);
  const leadsOut = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(message)?.[1];
  throw new UnreadableError(
    leadsOut === undefined
      ? `The zip file cannot be read: ${message}`
      : `The zip file cannot be read: the name of a file in it leads out of it: ${leadsOut}`,
  );
}
