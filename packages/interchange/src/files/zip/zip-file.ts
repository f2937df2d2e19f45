/** The conversations in a zip, the form in which ChatGPT, Claude and others send an export. */
import { text } from 'node:stream/consumers';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { ConversationNames, MAX_MANIFEST_BYTES } from '../conversation-names.js';
import { AttachmentIndex } from './attachment-index.js';
import { type SourceFile, type SourceText, textDigest } from '../source-text.js';
import { checkUnpacked } from '../gzip.js';
import { UnreadableError } from '../../file-values.js';
import { openPartsOf, rethrow, type OpenPart } from './zipped-parts.js';

/** Bytes of an entry's header, without its name. */
const HEADER_BYTES = 30;

/**
 * @param name the zip's name in messages
 * @param isPart whether it is a part of an export, which can lack conversations and has no parts itself
 * @throws UnreadableError when it is damaged, or has no conversations
 */
export async function openZip(path: string, name = path, isPart = false): Promise<SourceFile> {
  const zip = await openPromise(path, { autoClose: false }).catch(rethrow);
  const files = new AttachmentIndex(path, zip.fileSize);
  const close = () => {
    files.close();
    zip.close();
  };
  try {
    const { names, manifest } = await conversationEntries(zip, files).catch(rethrow);
    const { chosen: entries, isMaybe, parts, leftOut } = names;
    const hasParts = parts.length > 0 && !isPart;
    checkOverlaps(hasParts ? parts : entries);
    if (hasParts) return openPartsOf(zip, parts, openPart, close, leftOut);
    if (entries.length === 0 && !isPart) {
      throw new UnreadableError(`${name} is a zip file without a conversations.json or any other JSON or HTML file`);
    }
    // The shards of a part can be in other parts.
    if (manifest !== null && !isPart && manifest.uncompressedSize <= MAX_MANIFEST_BYTES) {
      leftOut.push(...names.missingOf(await text(await zip.openReadStreamPromise(manifest)).catch(rethrow)));
    }
    let [read, packed, unpacked] = [0, 0, 0];
    const texts = entries.map((entry): SourceText => ({
      name: entry.fileName,
      isMaybe,
      // After the sizes of the entry were checked.
      digest: async () => textDigest(await zip.openReadStreamPromise(entry)),
      async *bytes() {
        try {
          // The size in the directory is checked while the entry is read.
          const [packedWith, unpackedWith] = [packed + entry.compressedSize, unpacked + entry.uncompressedSize];
          checkUnpacked(`The zip file up to ${entry.fileName}`, packedWith, unpackedWith);
          [packed, unpacked] = [packedWith, unpackedWith];
          for await (const chunk of await zip.openReadStreamPromise(entry)) {
            read += (chunk as Buffer).length;
            yield chunk as Buffer;
          }
        } catch (error) {
          rethrow(error);
        }
      },
    }));
    const size = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
    return { texts, size, files, leftOut, bytesRead: () => read, close: async () => close() };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a zip that is a part of an export: it can lack conversations, and its own parts are not opened. */
export const openPart: OpenPart = (path, name) => openZip(path, name, true);

/** @param files collects the entries that messages can refer to */
async function conversationEntries(zip: ZipFile, files: AttachmentIndex) {
  const names = new ConversationNames<Entry>();
  let manifest: Entry | null = null;
  for await (const entry of zip.eachEntry()) {
    if (ConversationNames.isNoise(entry.fileName) || files.add(entry)) continue;
    names.add(entry.fileName, entry);
    if (ConversationNames.isManifest(entry.fileName)) manifest = entry;
  }
  return { names, manifest };
}

/**
 * Entries that share bytes would let a small file unpack to any size.
 * @throws UnreadableError
 */
function checkOverlaps(entries: readonly Entry[]): void {
  const inOrder = [...entries].sort(
    (one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  );
  let end = 0;
  for (const { relativeOffsetOfLocalHeader: start, compressedSize } of inOrder) {
    if (start < end) throw new UnreadableError('Files in the zip file overlap: that is a zip bomb, not conversations');
    end = start + HEADER_BYTES + compressedSize;
  }
}
