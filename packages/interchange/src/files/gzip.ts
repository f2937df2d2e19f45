/** The content of a gzip file as a stream. */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UnreadableError } from '../file-values.js';

/** @throws UnreadableError when it is truncated, damaged, or unpacks to too much */
export async function* unpackedGzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [read, written] = [0, 0];
  const counted = Readable.from(
    (async function* () {
      for await (const chunk of packed) {
        read += chunk.length;
        yield chunk;
      }
    })(),
  );
  const output = new PassThrough();
  const unpacking = pipeline(counted, createGunzip(), output);
  // The error also ends the output, where it is thrown.
  unpacking.catch(() => {});
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      written += chunk.length;
      checkUnpacked('The file', read, written);
      yield chunk;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new UnreadableError('The gzip file breaks off: it is not complete');
    if (code?.startsWith('Z_')) throw new UnreadableError(`The gzip file is damaged: ${message}`);
    throw error;
  }
}

/** Conversations shrink to about a tenth of their size; a file that grows more than this is a zip bomb. */
const MAX_GROWTH = 300;
/** Bytes that are always accepted. */
const HARMLESS = 64 * 1024 * 1024;

/** @throws UnreadableError when the unpacked size is too large for conversations */
export function checkUnpacked(what: string, packed: number, unpacked: number, most = MAX_GROWTH): void {
  if (unpacked <= HARMLESS || unpacked <= packed * most) return;
  throw new UnreadableError(
    `${what} unpacks to more than ${most} times its size: that is a zip bomb, not conversations`,
  );
}
