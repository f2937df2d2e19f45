/** What a file to import holds, however it is packed. */

/** JSON text in a file: the file itself, unpacked where it was packed, or one of several in a zip. */
export interface SourceText {
  /** Its name in the zip; null when it is the file itself. */
  readonly name: string | null;
  /** @throws UnreadableError while it is read, when the packed bytes are damaged or break off */
  bytes(): AsyncIterable<Buffer>;
}

export interface SourceFile {
  readonly texts: readonly SourceText[];
  /** Bytes to read in all, and so far: of the file, or of the texts in a zip. */
  readonly size: number;
  bytesRead(): number;
  close(): Promise<void>;
}
