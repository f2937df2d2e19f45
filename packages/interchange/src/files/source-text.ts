/** The content of a file to import, independent of its packing. */
import type { AttachmentIndex } from './zip/attachment-index.js';
import { createHash } from 'node:crypto';

/** JSON text: a plain file, an unpacked one, or one of several in a zip. */
export interface SourceText {
  /** Its name in the zip; null for the file itself. */
  readonly name: string | null;
  /**
   * The name of its file, if it is not temporary, for formats without a title of their own.
   * @default the name in the zip
   */
  readonly fileName?: string;
  /** Whether it is any other file of a zip. Then it is valid without conversations. */
  readonly isMaybe: boolean;
  /**
   * The other files of a zip of its own.
   * @default those of the whole file
   */
  readonly files?: AttachmentIndex | null;
  /** @throws UnreadableError while it is read, when the packed bytes are damaged or truncated */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * The SHA-256 of its bytes in hex, which identifies conversations without an id.
   * @default a text that can be read only once has none: the content of each conversation identifies it
   */
  digest?(): Promise<string>;
}

export interface SourceFile {
  /** Can be iterated once. A text is valid until the next one is taken: parts of a zip are opened one at a time. */
  readonly texts: Iterable<SourceText> | AsyncIterable<SourceText>;
  /** A zip's other files, which messages refer to; null for other files. */
  readonly files: AttachmentIndex | null;
  /**
   * A sentence for each file of a zip or folder that is not read, or is missing; complete after the last text.
   * @default none
   */
  readonly leftOut?: readonly string[];
  /** Bytes to read in total, and so far: of the file, or of the texts in a zip. Null for a stream. */
  readonly size: number | null;
  bytesRead(): number;
  close(): Promise<void>;
}

/** The SHA-256 of a text in hex. */
export async function textDigest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of bytes) sum.update(chunk);
  return sum.digest('hex');
}
