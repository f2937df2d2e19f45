/** What a format needs to be written. */
import type { WrittenChat } from '../writers/written-chat.js';

/** Which paths of a chat are written, where a format holds one path at a time. */
export const PATHS = ['active', 'leaves', 'checkpoints'] as const;
export type Paths = (typeof PATHS)[number];

export interface WriterOptions {
  paths: Paths;
}

export interface Writer {
  /** For `--format`. */
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  /** Of the file, without a dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** What the name of the file is in a zip; null where each chat has a file of its own. */
  readonly fileName: string | null;
  /** What the format cannot hold, in words. */
  readonly losses: readonly string[];
  /** What stands before, between and behind the chats of a file. */
  readonly frame: { readonly before: string; readonly between: string; readonly after: string };
  /** A chat that has a file for itself has nothing around it: the program reads one at a time. @default false */
  readonly isBareAlone?: boolean;
  /**
   * Text that marks the chat or the file before it as incomplete, for a reason. Formats without it cannot continue after a
   * chat that is cut off.
   */
  readonly incomplete?: (reason: string) => string;
  /**
   * A chat, some text at a time.
   * @returns where paths are written, how many messages are on them; nothing where all messages are written
   */
  write(chat: WrittenChat, options: WriterOptions): AsyncGenerator<string, unknown>;
}

/** Marks JSON Lines as incomplete. */
export const incompleteLine = (reason: string): string => `${JSON.stringify({ incomplete: reason })}\n`;

/** Of formats in which every chat is lines. */
export const LINES = { before: '', between: '', after: '' };
/** Of those in which all chats are an array. */
export const ARRAY = { before: '[\n', between: ',\n', after: '\n]\n' };
