/** The files of messages, as a store returns them. */

/** A file of a message. */
export interface FileData {
  /** Detected from the content: `text/plain` for every text. */
  mediaType: string;
  /** In bytes. */
  size: number;
  /** null for a file that is larger than `maxBytes`. */
  content: Uint8Array<ArrayBuffer> | null;
}

/** A file, and a message that contains it. */
export interface FileOfMessage {
  fileId: string;
  messageId: string;
}

export interface ReadFileOptions {
  /**
   * The content of a larger file is not read.
   * @default no limit
   */
  maxBytes?: number;
}
