/** The files of messages, over their HTTP routes. */
import type { OpenRoute } from '@parley/transport/chat-files';
import { ContextError, orNull } from '../errors.js';
import type { FileData, FileOfMessage } from '../file-data.js';

/** Milliseconds for one file. */
const READ_TIMEOUT_MS = 60_000;
/** The server's limit of a request. */
const MAX_LINKS_PER_REQUEST = 100;

/** @returns null for a file that the message does not contain, or that the user may not read */
export async function readFile(
  open: OpenRoute,
  { fileId, messageId }: FileOfMessage,
  maxBytes: number,
): Promise<FileData | null> {
  // Another text could name another route.
  if (!/^[0-9a-f]{64}$/.test(fileId)) return null;
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const response = await orNull(open(`files/${fileId}`, { message: messageId }, { signal }));
  if (response === null) return null;
  const mediaType = response.headers.get('content-type')?.replace(/;.*/, '') ?? 'application/octet-stream';
  const size = Number(response.headers.get('content-length'));
  if (size > maxBytes) {
    await response.body?.cancel();
    return { mediaType, size, content: null };
  }
  try {
    const content = new Uint8Array(await response.arrayBuffer());
    return { mediaType, size: content.length, content: content.length > maxBytes ? null : content };
  } catch (cause) {
    throw new ContextError('UNAVAILABLE', `The content of file ${fileId} broke off`, null, { cause });
  }
}

/** @returns in the order of `files`; null for a file that the user may not read */
export async function signFiles(
  open: OpenRoute,
  base: string | URL,
  files: readonly FileOfMessage[],
): Promise<(string | null)[]> {
  const urls: (string | null)[] = [];
  for (let n = 0; n < files.length; n += MAX_LINKS_PER_REQUEST) {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ files: files.slice(n, n + MAX_LINKS_PER_REQUEST) }),
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
    };
    const response = await open('files/links', {}, request);
    const { links } = (await response.json()) as { links: { url: string | null }[] };
    // The server may have a prefix before its routes.
    for (const { url } of links) urls.push(url === null ? null : new URL(url.slice(1), base).href);
  }
  return urls;
}
