/** What an import tells, a line for each thing: docs/import.md of the server. */

/** What became of a conversation. */
export interface ImportedConversation {
  /** Where it stands in the file. */
  place: string;
  title: string | null;
  /** The name of the format. */
  format: string;
  result: 'imported' | 'updated' | 'unchanged';
  chatId: string;
  /** Of the messages that were written. */
  messageIds: string[];
  /** How many of those are new versions of messages that have changed under their ids. */
  changedMessages: number;
  /** What was left out, or understood in one of several ways. */
  warnings: string[];
}

/** What could not be read. */
export interface ImportFault {
  place: string;
  title: string | null;
  /** Null when it was not recognised. */
  format: string | null;
  reason: string;
}

/** What is told of a whole file at its end. */
export interface ImportTotals {
  /** Failed: those that could not be read. */
  conversations: { imported: number; updated: number; unchanged: number; failed: number };
  messages: { imported: number; updated: number; changed: number };
  /** How many conversations were read of each format, by what people call it. */
  formats: Record<string, number>;
  /** How many texts had characters that cannot be stored. */
  textsChanged: number;
  warnings: number;
}

export type ImportLine = { conversation: ImportedConversation } | { couldNotRead: ImportFault };

/** The last line. */
export interface ImportEnd {
  totals: ImportTotals;
  /** What was left out, and is nobody's loss. */
  leftOut: string[];
  /** What could not be read, of the first thousand. */
  couldNotRead: string[];
}

/** Whether a line of a report is of a kind that is known here. */
export function isImportLine(line: unknown): line is ImportLine | ImportEnd {
  const known = line as object;
  return 'totals' in known || 'conversation' in known || 'couldNotRead' in known;
}
