/** The lines of an import's report: docs/import.md of the server. */

/** The result of a conversation. */
export interface ImportedConversation {
  /** Its place in the file. */
  place: string;
  title: string | null;
  /** The name of the format. */
  format: string;
  result: 'imported' | 'updated' | 'unchanged';
  chatId: string;
  /** The ids of the messages that were written. */
  messageIds: string[];
  /** How many of those are new versions of messages that have changed under their ids. */
  changedMessages: number;
  /** Parts that were left out, or understood in one of several ways. */
  warnings: string[];
}

/** A conversation or file that could not be read. */
export interface ImportFault {
  place: string;
  title: string | null;
  /** Null when it was not recognised. */
  format: string | null;
  reason: string;
}

/** The numbers of a whole file. */
export interface ImportTotals {
  /** `failed` counts those that could not be read. */
  conversations: { imported: number; updated: number; unchanged: number; failed: number };
  messages: { imported: number; updated: number; changed: number };
  /** How many conversations were read of each format, by its display name. */
  formats: Record<string, number>;
  /** How many texts had characters that cannot be stored. */
  textsChanged: number;
  warnings: number;
}

export type ImportLine = { conversation: ImportedConversation } | { couldNotRead: ImportFault };

/** The last line. */
export interface ImportEnd {
  totals: ImportTotals;
  /** Parts of the file that contain no conversations. */
  leftOut: string[];
  /** The first thousand faults. */
  couldNotRead: string[];
}

/** The progress of an import. */
export type ImportProgress =
  /** Bytes that were sent; `of` is null when the size of the file is unknown. */
  | { state: 'sending'; bytes: number; of: number | null }
  /** The server has the file and completes other imports first. */
  | { state: 'waiting' }
  /** Bytes of the content that the server has read; `of` is null when the size is unknown. */
  | { state: 'reading'; bytes: number; of: number | null };

/** Whether a line of a report is of a kind that this version knows. */
export function isImportLine(line: unknown): line is ImportLine | ImportEnd {
  const known = line as object;
  return 'totals' in known || 'conversation' in known || 'couldNotRead' in known;
}

/** The progress that a line contains; null for other lines. */
export function progressOf(line: unknown): ImportProgress | null {
  const { progress } = line as { progress?: { waiting?: true; read?: number; of?: number | null } };
  if (progress === undefined) return null;
  const { read, of = null } = progress;
  return read === undefined ? { state: 'waiting' } : { state: 'reading', bytes: read, of };
}
