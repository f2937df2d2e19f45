/** Whole chats in and out, beside GraphQL: `POST /import` and `GET /export`. */
import { errorOf, type AnsweredError } from '@parley/transport/answer';
import { importLines, openExport, routeUrl, type ChatFile, type OpenRoute } from '@parley/transport/chat-files';
import { unreachable, UnreachableError } from '@parley/transport/errors';
import { TokenSource, type Token } from '@parley/transport/token';
import { isImportLine, type ImportEnd, type ImportLine } from './import-line.js';

export type { ImportedConversation, ImportEnd, ImportFault, ImportLine, ImportTotals } from './import-line.js';

export interface TransferOptions {
  /** Where GraphQL is served, as for createParley: `/export` and `/import` are beside it. */
  url: string;
  /** Where the server asks who you are. */
  token?: Token;
  /** The one of the platform by default. */
  fetch?: typeof globalThis.fetch;
}

export interface ExportOptions {
  /** One chat alone. All of the user's by default. */
  chatId?: string;
  /** A name of docs/export.md of the server: `parley` by default, which holds everything. */
  format?: string;
  /** Chats that have changed since then alone. */
  since?: Date;
  /** Which paths of a chat, in formats that hold no graph: `active` by default. */
  paths?: 'active' | 'leaves' | 'checkpoints';
  /** Whose, for admins. */
  userId?: string;
  /** Everybody's, for admins. */
  everybody?: boolean;
  /** Ends it. */
  signal?: AbortSignal;
}

export interface ExportedChats {
  /** What to call the file. */
  fileName: string;
  mediaType: string;
  /** What the format cannot hold. */
  notHeld: string[];
  /** The file as it comes. When it fails, it is not whole. */
  body: ReadableStream<Uint8Array>;
  /** The whole file. It is read once, here or as `body`. */
  blob(): Promise<Blob>;
}

export interface ImportOptions {
  /** A name of docs/import.md of the server. By default a format is recognised by its shape. */
  format?: string;
  /** Whose chats they become, for admins: one's own by default. */
  userId?: string;
  /** Ends it: what was imported by then stays. */
  signal?: AbortSignal;
}

export interface Transfer {
  /**
   * Takes chats away.
   * @throws RequestError when there is no such chat or format, UnauthorizedError, UnreachableError
   */
  exportChats(options?: ExportOptions): Promise<ExportedChats>;
  /**
   * Brings a file of any format that the server reads; each line tells of one conversation, the last one of the whole file.
   * @param file a stream is sent once: a token that was refused is not renewed for it
   * @throws RequestError when it is no such file or too large, UnauthorizedError, UnreachableError: also when the server stops before
   *   the last line; what it has told of by then is imported
   */
  importChats(file: ChatFile, options?: ImportOptions): AsyncGenerator<ImportLine | ImportEnd, void, undefined>;
}

export function createTransfer({
  url,
  token,
  fetch = (...request) => globalThis.fetch(...request),
}: TransferOptions): Transfer {
  const tokens = new TokenSource(token);

  const open: OpenRoute = async (route, query, init) => {
    const page = (globalThis as { location?: { href: string } }).location?.href;
    const target = routeUrl(new URL(url, page), route, query);
    const isOnce = init.body instanceof ReadableStream;
    for (let isAgain = isOnce; ; isAgain = true) {
      const authorization = await tokens.header();
      const headers = { ...init.headers, ...(authorization !== null && { authorization }) };
      const response = await fetch(target.href, { ...init, headers }).catch((cause: unknown) => {
        throw init.signal?.aborted === true ? cause : unreachable(cause);
      });
      if (response.ok) return response;
      if (response.status !== 401 || isAgain || !(await tokens.renew(authorization))) throw await failureOf(response);
      await response.body?.cancel();
    }
  };

  return {
    async exportChats({ everybody, ...options } = {}) {
      const response = await openExport(open, { ...options, ...(everybody === true && { everybody: 'true' }) });
      const { headers, body } = response;
      if (body === null) throw new UnreachableError('The server answered with nothing');
      const [, fileName = 'chats'] = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '') ?? [];
      return {
        fileName,
        mediaType: headers.get('content-type') ?? '',
        notHeld: (headers.get('parley-not-held') ?? '').split('; ').filter(Boolean),
        body,
        blob: () => response.blob(),
      };
    },

    async *importChats(file, options = {}) {
      let isWhole = false;
      const broken = (cause: unknown) =>
        options.signal?.aborted === true ? cause : new UnreachableError(BROKEN_OFF, { cause });
      for await (const line of importLines(open, file, options, broken)) {
        if (!isImportLine(line)) continue;
        isWhole = 'totals' in line;
        yield line;
      }
      if (!isWhole) throw new UnreachableError(BROKEN_OFF);
    },
  };
}

const BROKEN_OFF =
  'The server stopped before the end of the file: what it has told of is imported, and bringing it again adds the rest';

async function failureOf(response: Response): Promise<Error> {
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: AnsweredError[] };
  return errors?.[0] ? errorOf(errors[0]) : new UnreachableError(`The server answered with status ${response.status}`);
}
