/** The interface of a format's writer. */
import type { WrittenChat } from '../writers/written-chat.js';

/** The paths of a chat to write in a format that holds one path at a time. */
export const PATHS = ['active', 'leaves', 'checkpoints'] as const;
export type Paths = (typeof PATHS)[number];

export interface WriterOptions {
  paths: Paths;
}

export interface Writer {
  /** For `--format`. */
  readonly name: string;
  /** The name in reports. */
  readonly label: string;
  /** The extension of the file, without a dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** The name of the file in a zip; null if each chat has its own file. */
  readonly fileName: string | null;
  /** The data that the format cannot hold, in words. */
  readonly losses: readonly string[];
  /** The text before, between and after the chats of a file. */
  readonly frame: { readonly before: string; readonly between: string; readonly after: string };
  /** Whether a chat in its own file is written without the frame, for programs that read one chat. @default false */
  readonly isBareAlone?: boolean;
  /**
   * Text that marks the chat or the file before it as incomplete, for a reason. Formats without it cannot continue after a
   * chat that is cut off.
   */
  readonly incomplete?: (reason: string) => string;
  /**
   * Writes a chat in chunks of text.
   * @returns where paths are written, how many messages are on them; nothing where all messages are written
   */
  write(chat: WrittenChat, options: WriterOptions): AsyncGenerator<string, unknown>;
}

/** Marks JSON Lines as incomplete. */
export const incompleteLine = (reason: string): string => `${JSON.stringify({ incomplete: reason })}\n`;

/** The frame of formats with lines for each chat. */
export const LINES = { before: '', between: '', after: '' };
/** The frame of formats with an array of all chats. */
export const ARRAY = { before: '[\n', between: ',\n', after: '\n]\n' };
