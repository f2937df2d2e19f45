/** Receives the body of an upload on disk. */
import { createWriteStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { temporarySpaceFault } from '@parley/interchange/server';
import { temporaryFailure } from '../../files/file-storage.js';
import type { Limits } from '../../limits/limits.js';
import type { SpooledFiles } from '../../limits/spool.js';
import { badRequest, refuse, refused } from './transfer-request.js';

export type UploadLimits = Pick<Limits, 'minUploadBytesPerSecond' | 'uploadIdleTimeoutMs' | 'uploadTimeoutMs'>;

/** The average rate of an upload counts after this time: connections begin slowly. */
const GRACE_MS = 5_000;
const RATE_INTERVAL_MS = 1_000;

/** Where and how a body arrives. */
export interface Arrival {
  path: string;
  spooled: SpooledFiles;
  limits: UploadLimits;
  /** The largest size of the file, with the bytes before `from`. */
  maxBytes: number;
  /** Bytes that are in the file already. */
  from?: number;
  /** Called with each chunk before it is written. */
  onBytes?: (chunk: Buffer) => void;
  /** Explains an error of the file system; other errors unchanged. By default, of TMPDIR. */
  failure?: ((error: unknown) => unknown) | undefined;
}

/**
 * Receives the whole body before reading it: no part of an incomplete file is used, and no transaction waits for a
 * client.
 * @throws GraphQLError when the body is too large, too slow or incomplete, and the failure when the disk is full
 */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  { path, spooled, limits, maxBytes, from = 0, onBytes, failure = storageError }: Arrival,
): Promise<void> {
  const { minUploadBytesPerSecond: minRate, uploadIdleTimeoutMs: idleMs, uploadTimeoutMs: totalMs } = limits;
  if (from + Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let size = from;
  const bounded = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      idle.refresh();
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        spooled.setBytes(size);
        onBytes?.(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // The iterator leaves the connection open for the answer; a pipeline with the request itself would end it.
  const body = request.iterator({ destroyOnReturn: false });
  // Node reports nothing about a request that was answered before it was complete.
  const end = () => request.destroy();
  response.once('close', end);
  if (response.closed) end();
  // The answer ends the connection, and with it the body.
  const refuseAs = (reason: string) => {
    if (!response.headersSent) refuse(response, tooSlow(reason));
  };
  const idle = setTimeout(() => refuseAs(`pause for at most ${idleMs} ms`), idleMs);
  const total = setTimeout(() => refuseAs(`arrive within ${totalMs} ms`), totalMs);
  const begin = performance.now();
  const rate = setInterval(() => {
    const seconds = (performance.now() - begin) / 1000;
    if (seconds * 1000 < GRACE_MS || size - from >= seconds * minRate) return;
    refuseAs(`arrive with at least ${minRate} bytes per second on average`);
  }, RATE_INTERVAL_MS);
  await pipeline(body, bounded, createWriteStream(path, { mode: 0o600, flags: from === 0 ? 'w' : 'a' }))
    .catch((error: unknown) => {
      if (request.destroyed && !request.complete) throw badRequest('The body broke off');
      throw failure(error);
    })
    .finally(() => {
      for (const timer of [idle, total, rate]) clearTimeout(timer);
      response.off('close', end);
    });
}

/** @returns the error itself unless the disk is full or read-only */
export function storageError(error: unknown): unknown {
  return temporarySpaceFault(error) === error ? error : temporaryFailure(error);
}

function tooLarge(maxBytes: number) {
  return refused(`The body must have at most ${maxBytes} bytes`, 'PAYLOAD_TOO_LARGE', 413);
}

/** Not 408: browsers send such a request again, with its whole body. */
function tooSlow(rule: string) {
  return refused(`The body must ${rule}: retry on a faster connection`, 'REQUEST_TIMEOUT', 400);
}
