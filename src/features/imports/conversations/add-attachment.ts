import { longDataUrls, withReplaced, type DataUrl } from '../../../files/data-urls.js';
import { referenceTo } from '../../../conversation/files/file-references.js';
import { FileLimitError, type Files, WrongHashError } from '../../../files/files.js';
import { checkedMediaType, MediaTypeError } from '../../../files/media-types.js';
import type { MessageFile } from '../../../conversation/files/file-records.js';
import { type Attachment, mediaTypeOf, UnreadableError } from '@parley/interchange/server';

/** Counts the files that could not be stored, by their kind of error. */
export class FileProblems {
  readonly #first = new Map<unknown, { message: string; count: number }>();

  /** @throws the error, unless it concerns one file alone */
  add(error: unknown): void {
    const concernsOne = [FileLimitError, UnreadableError, WrongHashError].some((kind) => error instanceof kind);
    if (!concernsOne) throw error;
    const { constructor, message: reason } = error as Error;
    const { message, count } = this.#first.get(constructor) ?? { message: reason, count: 0 };
    this.#first.set(constructor, { message, count: count + 1 });
  }

  get warnings(): string[] {
    return [...this.#first.values()].map(({ message, count }) => {
      const are = count === 1 ? 'is' : 'are';
      return `${count} of its files ${are} not stored, where the first reason is: ${message}`;
    });
  }
}

/**
 * Stores a file of a zip.
 * @param declared its media type in the export, which is only used if the content can have it
 * @param sha256 in hex, if it is known: another content is refused
 * @returns the file with the declared type, if its content can have it; null when all files together exceed the limit of the zip
 * @throws FileLimitError, UnreadableError, WrongHashError, FileStorageError
 */
export async function addAttachment(
  files: Files,
  userId: string,
  { attachment, declared, sha256 }: { attachment: Attachment; declared: unknown; sha256?: string },
): Promise<MessageFile | null> {
  // A zip of a few bytes can contain any number of long files.
  if (!attachment.reserve()) return null;
  const named: { type?: string } = {};
  const file = await files.addContent(userId, {
    ...(sha256 !== undefined && { sha256 }),
    content: attachment.chunks(),
    mediaType: async (path) => {
      const type = mediaTypeOf(Buffer.alloc(0), attachment.name, declared);
      try {
        const found = await checkedMediaType(path, type);
        named.type = type === 'application/octet-stream' ? found : type;
        return found;
      } catch (error) {
        if (error instanceof MediaTypeError) return checkedMediaType(path, null);
        throw error;
      }
    },
  });
  return { ...file, mediaType: named.type ?? file.mediaType };
}

/**
 * Stores the content of a data URL. A media type that the content contradicts is ignored.
 * @throws FileLimitError, FileStorageError
 */
export async function addImportedDataUrl(files: Files, userId: string, url: DataUrl): Promise<void> {
  await files.addDataUrl(userId, url).catch((error: unknown) => {
    if (!(error instanceof MediaTypeError)) throw error;
    return files.addDataUrl(userId, { ...url, mediaType: null });
  });
}

/**
 * A copy of a message's data in which references replace long data URLs. Those beyond a limit stay.
 * @throws FileStorageError
 */
export async function withStoredDataUrls(
  { files, userId, problems }: { files: Files; userId: string; problems: FileProblems },
  data: unknown,
): Promise<unknown> {
  const references = new Map<string, string>();
  for (const url of longDataUrls(data)) {
    try {
      await addImportedDataUrl(files, userId, url);
      references.set(url.url, referenceTo(url.sha256));
    } catch (error) {
      problems.add(error);
    }
  }
  return references.size === 0 ? data : withReplaced(data, references);
}
