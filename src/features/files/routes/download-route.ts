/** `GET /files/<id>`: the content of a file, for viewers that may read a message with it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import contentDisposition from 'content-disposition';
import parseRange from 'range-parser';
import type { AuditRecord } from '../../../audit.js';
import type { ReadableFile } from '../../../conversation/files/file-records.js';
import type { Viewer } from '../../../conversation/model.js';
import type { MessageFiles } from '../message-files.js';
import type { Limits } from '../../../limits/limits.js';
import { badRequest, refused, signalOfLeaving } from '../../../http/requests/transfer-request.js';

/** Types that browsers show without executing anything. Others are offered for saving. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif|bmp|apng|heic)|audio\/.+|video\/.+|text\/plain)$/;

/** Milliseconds over which the rate of a download is measured: system buffers make shorter times irregular. */
const RATE_WINDOW_MS = 60_000;

const HEADERS = {
  'accept-ranges': 'bytes',
  // A file never changes. Only the viewer's own browser may keep it.
  'cache-control': 'private, max-age=31536000, immutable',
  // Nothing in a file executes, even when a browser shows it.
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  // Pages of allowed origins show images of this server.
  'cross-origin-resource-policy': 'cross-origin',
};

export interface DownloadServices {
  files: MessageFiles;
  limits: Pick<Limits, 'minDownloadBytesPerSecond'>;
}

export interface DownloadRequest {
  fileId: string;
  /** A message with the file; null: any. */
  messageId: string | null;
  /** Whether the browser saves the file rather than showing it. */
  isSaved: boolean;
  viewer: Viewer;
  /** Null when the audit log is off. */
  audit: AuditRecord | null;
}

/** @throws GraphQLError, the same for an unknown file and one that the viewer may not read */
export async function answerDownload(
  { method, headers, socket }: IncomingMessage,
  response: ServerResponse,
  { fileId, messageId, isSaved, viewer, audit, files, limits }: DownloadRequest & DownloadServices,
): Promise<void> {
  const file = await files.readable(viewer, fileId, messageId);
  if (file === null) throw refused('There is no such file', 'NOT_FOUND', 404);
  const etag = `"${file.id}"`;
  const common = { ...HEADERS, etag, 'content-disposition': dispositionOf(file, isSaved) };
  if (matches(headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const range = rangeOf(headers, etag, file.size);
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${file.size}`);
    throw refused(`The file has ${file.size} bytes`, 'RANGE_NOT_SATISFIABLE', 416);
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  // Before the headers: a missing content must not look like an empty file.
  const caller = { userId: viewer.userId, signal: signalOfLeaving(response) };
  const content = method === 'HEAD' ? null : await files.read(file, { start, end }, caller);
  if (content !== null) audit?.done({ event: 'file.downloaded', chatIds: [file.chatId], target: file.id });
  response.writeHead(range === null ? 200 : 206, {
    ...common,
    'content-type': typeOf(file),
    'content-length': end - start + 1,
    ...(range !== null && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  });
  if (content === null) {
    response.end();
    return;
  }
  const rate = setInterval(endSlowReader(socket, limits.minDownloadBytesPerSecond), RATE_WINDOW_MS);
  await pipeline(content, response)
    .catch((error: unknown) => {
      if (!response.destroyed) response.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    })
    .finally(() => clearInterval(rate));
}

/** @returns a function that ends the connection when it has sent too little since the call before */
function endSlowReader(socket: Socket, minBytesPerSecond: number): () => void {
  let sent = socket.bytesWritten;
  return () => {
    const before = sent;
    sent = socket.bytesWritten;
    if (sent - before < (minBytesPerSecond * RATE_WINDOW_MS) / 1000) socket.destroy();
  };
}

/** @throws GraphQLError with code BAD_REQUEST */
export function fileIdOf(path: string): string {
  if (!/^[0-9a-f]{64}$/.test(path)) throw badRequest('The path must be /files/ and the id of a file, 64 hex digits');
  return path;
}

function typeOf({ mediaType }: ReadableFile): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

function dispositionOf({ name, mediaType }: ReadableFile, isSaved: boolean): string {
  const type = !isSaved && SHOWN.test(mediaType) ? 'inline' : 'attachment';
  return contentDisposition(name ?? undefined, { type });
}

function matches(condition: string | undefined, etag: string): boolean {
  return (
    condition !== undefined &&
    (condition === '*' || condition.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
  );
}

/** One range; several are answered with the whole file, as RFC 9110 permits. */
function rangeOf({ range, 'if-range': ifRange }: IncomingMessage['headers'], etag: string, size: number) {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  const ranges = parseRange(size, range, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  const [first, ...others] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  return first === undefined || others.length > 0 ? null : first;
}
