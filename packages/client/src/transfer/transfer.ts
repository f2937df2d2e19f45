/** Exports and imports whole chats, beside GraphQL: `GET /export` and `POST /import`. */
import { errorOf } from '@parley/transport/answer';
import {
  importLines,
  openExport,
  type ChatFile,
  type ExportRequest,
  type ImportRequest,
} from '@parley/transport/chat-files';
import { UnreachableError } from '@parley/transport/errors';
import { routeOpener, type RouteOptions } from './open-route.js';

/** A line of an import's report, docs/import.md of the server: the result of a conversation. */
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
function isImportLine(line: unknown): line is ImportLine | ImportEnd {
  const known = line as object;
  return 'totals' in known || 'conversation' in known || 'couldNotRead' in known;
}

/** The progress that a line contains; null for other lines. */
function progressOf(line: unknown): ImportProgress | null {
  const { progress } = line as { progress?: { waiting?: true; read?: number; of?: number | null } };
  if (progress === undefined) return null;
  const { read, of = null } = progress;
  return read === undefined ? { state: 'waiting' } : { state: 'reading', bytes: read, of };
}

export type TransferOptions = RouteOptions;

export interface ExportOptions extends ExportRequest {
  /** The chats of all users, for admins. */
  everybody?: boolean;
}

export interface ExportedChats {
  /** The suggested name of the file. */
  fileName: string;
  mediaType: string;
  /** The parts of a chat that the format cannot hold. */
  notHeld: string[];
  /** The file. A file whose stream fails is incomplete. */
  body: ReadableStream<Uint8Array>;
  /** The whole file. It can be read once, here or as `body`. */
  blob(): Promise<Blob>;
}

export interface ImportOptions extends ImportRequest {
  /**
   * Called with the progress of the upload, and of the server with each conversation and during each silence of 5 seconds. The
   * progress of an upload needs a page without the option `fetch`, which then keeps the report in memory, or a stream as the file.
   */
  onProgress?: (progress: ImportProgress) => void;
}

export interface Transfer {
  /**
   * Exports chats.
   * @throws RequestError for an unknown chat or format, UnauthorizedError, UnreachableError
   */
  exportChats(options?: ExportOptions): Promise<ExportedChats>;
  /**
   * Imports a file of any format that the server reads. Each line reports one conversation, the last line the whole file.
   * @param file a stream is sent once: a refused token is not renewed for it
   * @throws RequestError for a file that cannot be read or is too large, UnauthorizedError, UnreachableError: also when the
   *   server stops before the last line; conversations of earlier lines are imported
   */
  importChats(file: ChatFile, options?: ImportOptions): AsyncGenerator<ImportLine | ImportEnd, void, undefined>;
}

export function createTransfer(options: TransferOptions): Transfer {
  const opening = routeOpener(options);
  return {
    async exportChats(request = {}) {
      const response = await openExport(opening(), request);
      const { headers, body } = response;
      if (body === null) throw new UnreachableError('The server returned an empty response');
      return {
        fileName: fileNameOf(headers.get('content-disposition') ?? ''),
        mediaType: headers.get('content-type') ?? '',
        notHeld: (headers.get('parley-not-held') ?? '').split('; ').filter(Boolean),
        body,
        blob: () => response.blob(),
      };
    },

    async *importChats(file, { onProgress, ...request } = {}) {
      let isWhole = false;
      const broken = (cause: unknown) =>
        request.signal?.aborted === true ? cause : new UnreachableError(BROKEN_OFF, { cause });
      const open = opening(onProgress && ((bytes, of) => onProgress({ state: 'sending', bytes, of })));
      for await (const line of importLines(open, file, request, broken)) {
        const progress = progressOf(line);
        if (progress !== null) onProgress?.(progress);
        const { error } = line as { error?: { message: string; code: string } };
        if (error !== undefined) throw errorOf({ message: error.message, extensions: { code: error.code } });
        if (!isImportLine(line)) continue;
        isWhole = 'totals' in line;
        yield line;
      }
      if (!isWhole) throw new UnreachableError(BROKEN_OFF);
    },
  };
}

/** The name in UTF-8 where it has other characters than ASCII. */
function fileNameOf(disposition: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]*)/.exec(disposition) ?? [];
  const [, plain = 'chats'] = /filename="([^"]*)"/.exec(disposition) ?? [];
  return encoded === undefined ? plain : decodeURIComponent(encoded);
}

const BROKEN_OFF =
  'The server stopped before the end of the file: the reported conversations are imported; import the file again to add the rest';
