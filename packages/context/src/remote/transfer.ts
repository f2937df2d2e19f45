/** Exports and imports of whole chats, over their HTTP routes. */
import {
  importLines,
  openExport,
  type ChatFile,
  type ExportRequest,
  type ImportRequest,
  type OpenRoute,
} from '@parley/transport/chat-files';
import { ContextError } from '../errors.js';
import { isRecord } from '../record.js';

export type { ExportRequest as ExportOptions } from '@parley/transport/chat-files';

export interface ImportOptions extends ImportRequest {
  /** Called for each conversation, with its chat or the reason why it cannot be read. */
  onTold?: (told: { chatId: string; title: string | null } | { place: string; reason: string }) => void;
}

/** Numbers of conversations. `failed` counts those that cannot be read. */
export interface ImportTotals {
  imported: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** A file of chats. A broken stream is an incomplete file. */
export async function exportChats(open: OpenRoute, options: ExportRequest): Promise<ReadableStream<Uint8Array>> {
  const { body } = await openExport(open, options);
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
