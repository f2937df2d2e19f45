/** Opens the file to import: detects its type by its first bytes. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { unpackedGzip } from './gzip.js';
import { openFolder } from './open-folder.js';
import { openStream } from './open-stream.js';
import type { SourceFile } from './source-text.js';
import { beginsSqlite, NO_DATABASE_HERE } from './sqlite-header.js';
import { textDigest } from './text-digest.js';
import { UnreadableError } from './unreadable.js';
import { openZip } from './zip/zip-file.js';

/** Bytes per read. */
const READ_BYTES = 256 * 1024;

/**
 * Opens a JSON file, plain or gzipped, or the conversations in a zip or a folder.
 * @param path `-` for standard input; a pipe is read as a stream
 * @param fileName the name that formats without titles use; null when unknown
 * @throws UnreadableError for a missing or empty file, and for a zip or a folder without conversations
 */
export async function openSourceFile(path: string, fileName: string | null = path): Promise<SourceFile> {
  if (path === '-') return openStream(process.stdin, 'standard input');
  const { size, start, kind } = await beginning(path);
  if (kind === 'folder') return openFolder(path, READ_BYTES);
  if (kind === 'pipe') return openStream(createReadStream(path), path);
  if (start.subarray(0, 2).toString('latin1') === 'PK') return openZip(path);
  if (beginsSqlite(start)) throw new UnreadableError(`${path} ${NO_DATABASE_HERE}`);
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  let read = 0;
  const open = () => createReadStream(path, { highWaterMark: READ_BYTES });
  const unpacked = (file: AsyncIterable<Buffer>) => (isGzip ? unpackedGzip(file) : file);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const file = open();
    file.on('data', (chunk) => (read += chunk.length));
    yield* unpacked(file);
  }
  const digest = () => textDigest(unpacked(open()));
  return {
    texts: [{ name: null, ...(fileName !== null && { fileName }), isMaybe: false, bytes, digest }],
    files: null,
    size,
    bytesRead: () => read,
    close: async () => {},
  };
}

async function beginning(path: string): Promise<{ size: number; start: Buffer; kind: 'file' | 'folder' | 'pipe' }> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { size: 0, start: Buffer.alloc(0), kind: found.isDirectory() ? 'folder' : 'pipe' };
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
      if (bytesRead === 0) throw new UnreadableError(`${path} is empty`);
      return { size: found.size, start: buffer.subarray(0, bytesRead), kind: 'file' };
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
