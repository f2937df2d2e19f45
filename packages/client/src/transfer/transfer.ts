/** Exports and imports whole chats, beside GraphQL: `GET /export` and `POST /import`. */
import { errorOf, type AnsweredError } from '@parley/transport/answer';
import { importLines, openExport, routeUrl, type ChatFile, type OpenRoute } from '@parley/transport/chat-files';
import { unreachable, UnreachableError } from '@parley/transport/errors';
import { TokenSource, type Token } from '@parley/transport/token';
import { isImportLine, progressOf, type ImportEnd, type ImportLine, type ImportProgress } from './import-line.js';
import { countedStream, fetchWithXhr, platformXhr, type OnSent } from './upload.js';

export type {
  ImportedConversation,
  ImportEnd,
  ImportFault,
  ImportLine,
  ImportProgress,
  ImportTotals,
} from './import-line.js';

export interface TransferOptions {
  /** The address of GraphQL, as for createParley: `/export` and `/import` are beside it. */
  url: string;
  /** For a server that requires authentication. */
  token?: Token;
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
}

export interface ExportOptions {
  /** @default all chats of the user */
  chatId?: string;
  /**
   * A name of docs/export.md of the server.
   * @default 'parley', the only format that holds everything
   */
  format?: string;
  /** Only chats that have changed since then. */
  since?: Date;
  /**
   * The paths of a chat in formats that hold no graph.
   * @default 'active'
   */
  paths?: 'active' | 'leaves' | 'checkpoints';
  /** A zip, which has a file for each chat as Markdown, HTML and LibreChat. */
  zip?: boolean;
  /** The chats of this user, for admins. */
  userId?: string;
  /** The chats of all users, for admins. */
  everybody?: boolean;
  /** Ends the export. */
  signal?: AbortSignal;
}

export interface ExportedChats {
  /** The suggested name of the file. */
  fileName: string;
  mediaType: string;
  /** What the format cannot hold. */
  notHeld: string[];
  /** The file. A file whose stream fails is incomplete. */
  body: ReadableStream<Uint8Array>;
  /** The whole file. It can be read once, here or as `body`. */
  blob(): Promise<Blob>;
}

export interface ImportOptions {
  /**
   * A name of docs/import.md of the server.
   * @default recognised by its content
   */
  format?: string;
  /**
   * The owner of the chats, for admins.
   * @default the user of the token
   */
  userId?: string;
  /**
   * The title and identity of a prompt of Google AI Studio.
   * @default the name of a File
   */
  fileName?: string;
  /** Ends the import: conversations that were imported before stay. */
  signal?: AbortSignal;
  /**
   * Called with the progress of the upload, and of the server during each silence of 5 seconds. The progress of an upload
   * needs a page without the option `fetch`, which then keeps the report in memory, or a stream as the file.
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

export function createTransfer({ url, token, fetch }: TransferOptions): Transfer {
  const tokens = new TokenSource(token);

  /** @param onSent called while the body is sent */
  const opening =
    (onSent?: OnSent): OpenRoute =>
    async (route, query, init) => {
      const page = (globalThis as { location?: { href: string } }).location?.href;
      const target = routeUrl(new URL(url, page), route, query).href;
      const isOnce = init.body instanceof ReadableStream;
      const send = (request: RequestInit): Promise<Response> => {
        if (onSent === undefined) return (fetch ?? globalThis.fetch)(target, request);
        if (isOnce) {
          const body = countedStream(init.body as ReadableStream<Uint8Array>, onSent);
          return (fetch ?? globalThis.fetch)(target, { ...request, body });
        }
        const XhrClass = fetch === undefined ? platformXhr() : undefined;
        return XhrClass
          ? fetchWithXhr(XhrClass, target, request, onSent)
          : (fetch ?? globalThis.fetch)(target, request);
      };
      for (let isAgain = isOnce; ; isAgain = true) {
        const authorization = await tokens.header();
        const headers = { ...init.headers, ...(authorization !== null && { authorization }) };
        const response = await send({ ...init, headers }).catch((cause: unknown) => {
          throw init.signal?.aborted === true ? cause : unreachable(cause);
        });
        if (response.ok) return response;
        if (response.status !== 401 || isAgain || !(await tokens.renew(authorization))) throw await failureOf(response);
        await response.body?.cancel();
      }
    };

  return {
    async exportChats(options = {}) {
      const response = await openExport(opening(), options);
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

    async *importChats(file, { onProgress, ...options } = {}) {
      let isWhole = false;
      const broken = (cause: unknown) =>
        options.signal?.aborted === true ? cause : new UnreachableError(BROKEN_OFF, { cause });
      const open = opening(onProgress && ((bytes, of) => onProgress({ state: 'sending', bytes, of })));
      for await (const line of importLines(open, file, options, broken)) {
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

async function failureOf(response: Response): Promise<Error> {
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: AnsweredError[] };
  return errors?.[0] ? errorOf(errors[0]) : new UnreachableError(`The server returned status ${response.status}`);
}
