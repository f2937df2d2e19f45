/** Opens a stream from a pipe or the network, which can be read once. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unpackedGzip } from './gzip.js';
import type { SourceFile } from './source-text.js';
import { beginsSqlite, NO_DATABASE_HERE } from './sqlite-header.js';
import { openInFolder } from './temporary-space.js';
import { UnreadableError } from '../file-values.js';
import { openZip } from './zip/zip-file.js';

/**
 * Opens JSON text, plain or gzipped, or the conversations in a zip. A zip is written to the disk first, because its
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
