/** What a file to import holds, however it is packed. */
import type { AttachmentIndex } from './zip/attachment-index.js';

/** JSON text in a file: the file itself, unpacked where it was packed, or one of several in a zip. */
export interface SourceText {
  /** Its name in the zip; null when it is the file itself. */
  readonly name: string | null;
  /**
   * Whether it may be something else than conversations: one of the other files of a zip.
   * Then it is no fault when nothing in it is one.
   */
  readonly isMaybe: boolean;
  /** What lies beside it in a zip of its own. @default what the file as a whole has */
  readonly files?: AttachmentIndex | null;
  /** @throws UnreadableError while it is read, when the packed bytes are damaged or break off */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface SourceFile {
  /** Can be read once. A text may be read until the next one is taken: parts of a zip are opened one at a time. */
  readonly texts: Iterable<SourceText> | AsyncIterable<SourceText>;
  /** What a zip has beside them, for messages that point to it; null where it is no zip. */
  readonly files: AttachmentIndex | null;
  /** Bytes to read in all, and so far: of the file, or of the texts in a zip. Of a stream nobody knows all: null. */
  readonly size: number | null;
  bytesRead(): number;
  close(): Promise<void>;
}
