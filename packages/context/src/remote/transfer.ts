/** Whole chats out of a server and into it, beside GraphQL. */
import { ContextError } from '../errors.js';
import { isRecord } from '../record.js';
import type { OpenDoor } from './graphql-client.js';

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

/** A file; when it breaks off, it is not whole. */
export async function exportChats(open: OpenDoor, options: ExportOptions): Promise<ReadableStream<Uint8Array>> {
  const { since, signal, ...query } = options;
  const { body } = await open('export', { ...query, since: since?.toISOString() }, { ...(signal && { signal }) });
  return body ?? new Blob([]).stream();
}

export async function importChats(
  open: OpenDoor,
  file: ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer> | string,
  { format, userId, signal, onTold }: ImportOptions,
): Promise<ImportTotals> {
  const isStream = file instanceof ReadableStream;
  const { body } = await open(
    'import',
    { format, userId },
    {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      ...(isStream && { duplex: 'half' }),
      ...(signal && { signal }),
    },
  );
  for await (const line of body === null ? [] : linesOf(body)) {
    const told: unknown = line === '' ? null : JSON.parse(line);
    if (!isRecord(told)) continue;
    const { totals, conversation, couldNotRead } = told;
    if (isRecord(totals)) return totals['conversations'] as ImportTotals;
    const one = conversation ?? couldNotRead;
    if (isRecord(one)) onTold?.(one as Parameters<NonNullable<typeof onTold>>[0]);
  }
  throw new ContextError(
    'UNAVAILABLE',
    'The server stopped before the end of the file; the same file again adds the rest',
  );
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = '';
  const texts = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  try {
    for await (const text of texts) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new ContextError('UNAVAILABLE', 'The server stopped before the end of the file', null, { cause: error });
  }
}
