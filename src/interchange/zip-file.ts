/** The conversations in the zip that ChatGPT sends as an export. */
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import type { SourceFile } from './source-text.js';
import type { SourceText } from './source-text.js';
import { UnreadableError } from './unreadable.js';

/** In any folder; newer exports are split into conversations-000.json, conversations-001.json and so on. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/i;

/** @throws UnreadableError when it is damaged, or has no conversations */
export async function openZip(path: string): Promise<SourceFile> {
  const zip = await openPromise(path, { autoClose: false }).catch(rethrow);
  try {
    const entries = await conversationEntries(zip).catch(rethrow);
    if (entries.length === 0) throw new UnreadableError(`${path} is a zip file without a conversations.json`);
    let read = 0;
    const texts = entries.map((entry): SourceText => ({
      name: entry.fileName,
      async *bytes() {
        try {
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
    return { texts, size, bytesRead: () => read, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function conversationEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (CONVERSATIONS.test(entry.fileName)) entries.push(entry);
  return entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
}

function rethrow(error: unknown): never {
  throw new UnreadableError(`The zip file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
