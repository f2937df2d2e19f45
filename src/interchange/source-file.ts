/** The file to import: what it is by its first bytes, and its text as a stream of bytes. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { SourceFile } from './source-text.js';
import { UnreadableError } from './unreadable.js';
import { openZip } from './zip-file.js';

/**
 * Opens a JSON file, plain or gzipped, or the conversations in a zip.
 * @throws UnreadableError for a file that is not there, not a file, or empty, and for a zip without conversations
 */
export async function openSourceFile(path: string): Promise<SourceFile> {
  const { size, start } = await beginning(path);
  if (start.subarray(0, 2).toString('latin1') === 'PK') return openZip(path);
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  let read = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    const file = createReadStream(path);
    file.on('data', (chunk) => (read += chunk.length));
    yield* isGzip ? unpacked(file) : (file as AsyncIterable<Buffer>);
  }
  return { texts: [{ name: null, bytes }], size, bytesRead: () => read, close: async () => {} };
}

async function beginning(path: string): Promise<{ size: number; start: Buffer }> {
  try {
    if ((await stat(path)).isDirectory()) throw new UnreadableError(`${path} is a directory, not a file`);
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
      if (bytesRead === 0) throw new UnreadableError(`${path} is empty`);
      return { size, start: buffer.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

function fileError(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new UnreadableError(`${path} does not exist`);
    case 'EACCES':
    case 'EPERM':
      return new UnreadableError(`${path} may not be read`);
    default:
      return error;
  }
}

async function* unpacked(file: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  const output = new PassThrough();
  const unpacking = pipeline(file, createGunzip(), output);
  // Its failure also ends the output, where it is thrown.
  unpacking.catch(() => {});
  try {
    yield* output as AsyncIterable<Buffer>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new UnreadableError('The gzip file breaks off: it is not complete');
    if (code?.startsWith('Z_')) throw new UnreadableError(`The gzip file is damaged: ${message}`);
    throw error;
  }
}
