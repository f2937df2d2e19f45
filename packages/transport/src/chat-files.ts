/** Requests of the routes `GET /export` and `POST /import`. */
import { jsonLines } from './json-lines.js';

/** Sends a request to one of these routes, and returns its successful response. */
export type OpenRoute = (
  route: string,
  query: Record<string, string | undefined>,
  request: RequestInit,
) => Promise<Response>;

/** Any file of chats. A stream can be sent once. */
export type ChatFile = Blob | Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;

export interface ExportRequest {
  /**
   * One chat.
   * @default all chats of the user
   */
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
  /** Ends the export. */
  signal?: AbortSignal;
}

export interface ImportRequest {
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
   * The title of a prompt of Google AI Studio.
   * @default the name of a File
   */
  fileName?: string;
  /**
   * The chat that the first conversation of the file continues, for formats without ids.
   * @default the chat of its id
   */
  into?: string;
  /** Ends the import: conversations that were imported before stay. */
  signal?: AbortSignal;
}

/** The URL of a route next to GraphQL. Undefined parameters are omitted. */
export function routeUrl(graphqlUrl: string | URL, route: string, query: Record<string, string | undefined>): URL {
  const url = new URL(route, graphqlUrl);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Requests a file of chats. */
export function openExport(
  open: OpenRoute,
  { since, zip, everybody, signal, ...query }: ExportRequest & { everybody?: boolean },
): Promise<Response> {
  const flag = (isSet?: boolean) => (isSet === true ? 'true' : undefined);
  const parameters = { ...query, since: since?.toISOString(), zip: flag(zip), everybody: flag(everybody) };
  return open('export', parameters, { ...(signal && { signal }) });
}

/**
 * Sends a file of chats and yields the lines of the report.
 * @param broken returns the error to throw when the response breaks off
 * @throws the errors of `open`
 */
export async function* importLines(
  open: OpenRoute,
  file: ChatFile,
  { format, userId, into, fileName = (file as Partial<File>).name, signal }: ImportRequest,
  broken: (cause: unknown) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
    ...(file instanceof ReadableStream && { duplex: 'half' }),
    ...(signal && { signal }),
  };
  const { body } = await open('import', { format, userId, into, fileName: fileName?.trim() || undefined }, request);
  try {
    if (body !== null) yield* jsonLines(body);
  } catch (cause) {
    throw broken(cause);
  }
}
