/** The conversations in a zip, as ChatGPT, Claude and others send an export. */
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { FilesBeside } from './files-beside.js';
import type { SourceFile, SourceText } from '../source-text.js';
import { checkUnpacked } from '../unpacked-size.js';
import { UnreadableError } from '../unreadable.js';

/** In any folder; newer exports are split into conversations-000.json, conversations-001.json and so on. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/i;
/** What else may hold some; files without an extension are those of AI Studio. */
const MAYBE = /(\.jsonl?|\.ndjson|\/[^./]+)$/i;
/** What packers leave behind. */
const NOISE = /(^|\/)(__MACOSX\/|\.)/;

/**
 * @param name what the zip is called in messages
 * @throws UnreadableError when it is damaged, or has no conversations
 */
export async function openZip(path: string, name = path): Promise<SourceFile> {
  const zip = await openPromise(path, { autoClose: false }).catch(rethrow);
  const files = new FilesBeside(path, zip.fileSize);
  const close = () => {
    files.close();
    zip.close();
  };
  try {
    const { entries, isMaybe } = await conversationEntries(zip, files).catch(rethrow);
    if (entries.length === 0) {
      throw new UnreadableError(`${name} is a zip file without a conversations.json or any other JSON file`);
    }
    let read = 0;
    const texts = entries.map((entry): SourceText => ({
      name: entry.fileName,
      isMaybe,
      async *bytes() {
        try {
          // What an entry says of its size is checked while it is read.
          checkUnpacked(`${entry.fileName} in the zip file`, entry.compressedSize, entry.uncompressedSize);
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
    return { texts, size, files, bytesRead: () => read, close: async () => close() };
  } catch (error) {
    close();
    throw error;
  }
}

/** Those that are called conversations, else all that may hold some. @param files takes note of the others */
async function conversationEntries(zip: ZipFile, files: FilesBeside): Promise<{ entries: Entry[]; isMaybe: boolean }> {
  const named: Entry[] = [];
  const others: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (NOISE.test(entry.fileName)) continue;
    if (files.add(entry)) continue;
    if (CONVERSATIONS.test(entry.fileName)) named.push(entry);
    else if (MAYBE.test(`/${entry.fileName}`)) others.push(entry);
  }
  const entries = named.length > 0 ? named : others;
  return { entries: entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)), isMaybe: named.length === 0 };
}

function rethrow(error: unknown): never {
  if (error instanceof UnreadableError) throw error;
  const message = error instanceof Error ? error.message : String(error);
  const leadsOut = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(message)?.[1];
  throw new UnreadableError(
    leadsOut === undefined
      ? `The zip file cannot be read: ${message}`
      : `The zip file cannot be read: the name of a file in it leads out of it: ${leadsOut}`,
  );
}
