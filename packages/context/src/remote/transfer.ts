/** Whole chats out of a server and into it, beside GraphQL. */
import { importLines, openExport, type ChatFile, type OpenRoute } from '@parley/transport/chat-files';
import { ContextError } from '../errors.js';
import { isRecord } from '../record.js';

export interface ExportOptions {
  /** One chat alone; all of one's own by default. */
  chatId?: string;
  /** One of docs/export.md. @default 'parley', which holds everything */
  format?: string;
  /** Chats that have changed since then alone. */
  since?: Date;
  /** Whose, for admins. */
  userId?: string;
  /** Ends it. */
  signal?: AbortSignal;
}

export interface ImportOptions {
  /** One of docs/import.md; found by its shape by default. */
  format?: string;
  /** Whose chats they become, for admins; one's own by default. */
  userId?: string;
  /** Ends it: what was imported by then stays. */
  signal?: AbortSignal;
  /** Called for each conversation: the chat that it became, or why it cannot be read. */
  onTold?: (told: { chatId: string; title: string | null } | { place: string; reason: string }) => void;
}

/** Of conversations. Failed: those that cannot be read. */
export interface ImportTotals {
  imported: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** A file of chats. A stream that breaks is not a whole file. */
export async function exportChats(open: OpenRoute, options: ExportOptions): Promise<ReadableStream<Uint8Array>> {
  const { body } = await openExport(open, { ...options });
  return body ?? new Blob([]).stream();
}

/**
 * Sends a file of chats.
 * @throws ContextError UNAVAILABLE when the response ends before its last line
 */
export async function importChats(
  open: OpenRoute,
  file: ChatFile,
  { onTold, ...options }: ImportOptions,
): Promise<ImportTotals> {
  const broken = (cause: unknown) =>
    new ContextError('UNAVAILABLE', 'The server stopped before the end of the file', null, { cause });
  for await (const line of importLines(open, file, options, broken)) {
    if (!isRecord(line)) continue;
    const { totals, conversation, couldNotRead } = line;
    if (isRecord(totals)) return totals['conversations'] as ImportTotals;
    const one = conversation ?? couldNotRead;
    if (isRecord(one)) onTold?.(one as Parameters<NonNullable<typeof onTold>>[0]);
  }
  throw new ContextError(
    'UNAVAILABLE',
    'The server stopped before the end of the file; the same file again adds the rest',
  );
}
