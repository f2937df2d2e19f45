/** Opens the file to import: detects its type by its first bytes. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat, readdir, readFile } from 'node:fs/promises';
import { unpackedGzip } from './gzip.js';
import { type SourceFile, type SourceText, textDigest } from './source-text.js';
import { UnreadableError } from '../file-values.js';
import { openZip, openPart } from './zip/zip-file.js';
import { join, sep } from 'node:path';
import { ConversationNames, MAX_MANIFEST_BYTES } from './conversation-names.js';
import { openPartFiles } from './zip/zipped-parts.js';
import { pipeline } from 'node:stream/promises';
import { openInFolder } from './temporary-space.js';

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

/**
 * The conversations in an unpacked export.
 * @throws UnreadableError when no file of it can hold conversations
 */
async function openFolder(path: string, readBytes: number): Promise<SourceFile> {
  const names = new ConversationNames<string>();
  let manifest: string | null = null;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(join(path, sep).length).split(sep).join('/');
    if (!entry.isFile() || ConversationNames.isNoise(name)) continue;
    names.add(name, name);
    if (ConversationNames.isManifest(name)) manifest = join(path, name);
  }
  const { chosen, isMaybe, parts, leftOut } = names;
  if (parts.length > 0)
    return openPartFiles(
      parts.map((name) => ({ name, path: join(path, name) })),
      openPart,
      leftOut,
    );
  if (chosen.length === 0) {
    throw new UnreadableError(`${path} is a folder without a conversations.json or any other JSON or HTML file`);
  }
  if (manifest !== null && (await stat(manifest)).size <= MAX_MANIFEST_BYTES) {
    leftOut.push(...names.missingOf(await readFile(manifest, 'utf8')));
  }
  let read = 0;
  let size = 0;
  for (const name of chosen) size += (await stat(join(path, name))).size;
  const open = (name: string) => createReadStream(join(path, name), { highWaterMark: readBytes });
  const texts = chosen.map((name): SourceText => ({
    name,
    isMaybe,
    digest: () => textDigest(open(name)),
    async *bytes() {
      for await (const chunk of open(name)) {
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    },
  }));
  return { texts, size, files: null, leftOut, bytesRead: () => read, close: async () => {} };
}

/**
 * Opens a stream from a pipe or the network, which can be read once: JSON text, plain or gzipped, or the conversations in a zip. A zip is written to the disk first, because its
 * directory is at its end.
 * @param name the name in messages
 * @throws UnreadableError for an empty stream, and for a zip without conversations
 */
export async function openStream(stream: AsyncIterable<Uint8Array | string>, name: string): Promise<SourceFile> {
  const chunks = asBytes(stream);
  let read = 0;
  let start: Buffer = Buffer.alloc(0);
  for (let isDone = false; start.length < 4 && !isDone;) {
    const next = await chunks.next();
    isDone = next.done === true;
    if (next.done !== true) start = Buffer.concat([start, next.value]);
  }
  if (start.length === 0) throw new UnreadableError(`${name} is empty`);
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      read += start.length;
      yield start;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        read += next.value.length;
        yield next.value;
      }
    } finally {
      await chunks.return();
    }
  }
  if (start.subarray(0, 2).toString('latin1') === 'PK') return openSpooled(all(), name);
  if (beginsSqlite(start)) {
    await chunks.return();
    throw new UnreadableError(`${name} ${NO_DATABASE_HERE}`);
  }
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  const bytes = () => (isGzip ? unpackedGzip(all()) : all());
  return {
    texts: [{ name: null, isMaybe: false, bytes }],
    files: null,
    size: null,
    bytesRead: () => read,
    close: async () => {},
  };
}

function openSpooled(bytes: AsyncIterable<Uint8Array>, name: string): Promise<SourceFile> {
  return openInFolder(async (folder) => {
    const path = join(folder, 'export.zip');
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
    return openZip(path, name);
  });
}

async function* asBytes(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** @param start at least the first four bytes */
export function beginsSqlite(start: Buffer): boolean {
  return start.length >= 4 && HEADER.subarray(0, start.length).equals(start.subarray(0, HEADER.length));
}

/** False for unreadable files, too: the next read reports the error. */
export async function isSqliteFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return bytesRead === HEADER.length && beginsSqlite(buffer);
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** The error for a database in a place that cannot be read as one. */
export const NO_DATABASE_HERE = 'is a SQLite database, which npm run import takes as a file of its own';
