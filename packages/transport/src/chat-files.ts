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

export interface ImportRequest {
  format?: string;
  userId?: string;
  /** @default the name of a File */
  fileName?: string;
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
  { since, signal, ...query }: { since?: Date; signal?: AbortSignal; [name: string]: unknown },
): Promise<Response> {
  const parameters = { ...(query as Record<string, string | undefined>), since: since?.toISOString() };
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
  { format, userId, fileName = (file as Partial<File>).name, signal }: ImportRequest,
  broken: (cause: unknown) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
    ...(file instanceof ReadableStream && { duplex: 'half' }),
    ...(signal && { signal }),
  };
  const { body } = await open('import', { format, userId, fileName: fileName?.trim() || undefined }, request);
  try {
    if (body !== null) yield* jsonLines(body);
  } catch (cause) {
    throw broken(cause);
  }
}
