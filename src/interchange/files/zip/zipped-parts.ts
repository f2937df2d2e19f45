/** Exports in parts, each of which is a zip: in a zip, as ChatGPT's privacy page sends them, or in a folder. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import type { SourceFile, SourceText } from '../source-text.js';
import { openInFolder } from '../temporary-room.js';
import { UnreadableError } from '../unreadable.js';
import { checkUnpacked } from '../unpacked-size.js';
import { openZip } from './zip-file.js';

/** A zip hardly becomes smaller when it is packed once more. */
const MAX_GROWTH = 10;

/** @throws UnreadableError when there is no room on the disk, where the parts lie meanwhile, or nothing to read in them */
export function openPartsOf(zip: ZipFile, entries: readonly Entry[]): Promise<SourceFile> {
  return openInFolder(async (folder) => {
    const parts: { name: string; path: string }[] = [];
    for (const entry of entries) {
      const { fileName: name, compressedSize, uncompressedSize } = entry;
      checkUnpacked(`${name} in the zip file`, compressedSize, uncompressedSize, MAX_GROWTH);
      const path = join(folder, `${parts.length}.zip`);
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path, { mode: 0o600 }));
      parts.push({ name, path });
    }
    return openParts(parts);
  });
}

/**
 * One file of all the parts. What cannot be read is told when its text is, and does not stop the others.
 * @throws UnreadableError when no part has anything to read
 */
export async function openParts(parts: readonly { name: string; path: string }[]): Promise<SourceFile> {
  const files: SourceFile[] = [];
  const texts: SourceText[] = [];
  for (const { name, path } of parts) {
    try {
      const file = await openZip(path, name, true);
      files.push(file);
      for (const text of file.texts) texts.push({ ...text, name: `${name}/${text.name}`, files: file.files });
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      texts.push({ name, isMaybe: false, bytes: () => failing(error) });
    }
  }
  if (texts.length === 0) throw new UnreadableError('there are no conversations in the zips that should hold some');
  return {
    texts,
    files: null,
    size: files.reduce((sum, { size }) => sum + (size ?? 0), 0),
    bytesRead: () => files.reduce((sum, file) => sum + file.bytesRead(), 0),
    close: async () => {
      for (const file of files) await file.close();
    },
  };
}

async function* failing(error: UnreadableError): AsyncGenerator<Uint8Array> {
  throw error;
}
