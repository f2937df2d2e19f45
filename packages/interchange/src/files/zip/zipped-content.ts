/** Reads the files of a zip: small ones synchronously, because content() of a message cannot wait, others as streams. */
import { createReadStream, readSync } from 'node:fs';
import { PassThrough, pipeline } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { UnreadableError } from '../../file-values.js';

/** A file's entry in the zip's directory. */
export interface ZippedContent {
  readonly name: string;
  /** The comment in the directory: in Parley's zips, the media type. */
  readonly comment: string;
  /** The position of its header in the zip. */
  readonly offset: number;
  readonly packedSize: number;
  readonly size: number;
  readonly checksum: number;
  readonly isDeflated: boolean;
  /** Whether it is not encrypted and its compression is known. */
  readonly isReadable: boolean;
}

const HEADER_BYTES = 30;
const SIGNATURE = 0x04034b50;
/** Bytes that deflating can add to incompressible content. */
const MAX_OVERHEAD = 1024;

/**
 * The caller checks the size first: this allocates that much memory.
 * @throws UnreadableError when the content differs from the directory
 */
export function entryContent(file: number, entry: ZippedContent): Buffer {
  const { packedSize, size, checksum, isDeflated } = entry;
  const start = startOf(file, entry);
  const packed = bytesAt(file, start, packedSize, entry);
  let content: Buffer;
  try {
    content = isDeflated ? inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) }) : packed;
  } catch {
    throw damaged(entry);
  }
  if (content.length !== size || crc32(content) !== checksum) throw damaged(entry);
  return content;
}

/**
 * A file of any size.
 * @param path of the zip
 * @throws UnreadableError when the content differs from the directory; then its last bytes are missing
 */
export async function* entryChunks(path: string, file: number, entry: ZippedContent): AsyncGenerator<Buffer> {
  const { packedSize, size, checksum, isDeflated } = entry;
  const start = startOf(file, entry);
  if (packedSize === 0) {
    if (size > 0 || isDeflated) throw damaged(entry);
    return;
  }
  const unpacked = isDeflated ? createInflateRaw() : new PassThrough();
  // The iteration throws the error of the streams.
  pipeline(createReadStream(path, { start, end: start + packedSize - 1 }), unpacked, () => {});
  let [bytes, sum] = [0, 0];
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      sum = crc32(chunk, sum);
      if (bytes > size || (bytes === size && sum !== checksum)) throw damaged(entry);
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE' ? damaged(entry) : error;
  }
  if (bytes !== size) throw damaged(entry);
}

/** The position of the content. */
function startOf(file: number, entry: ZippedContent): number {
  const { offset, packedSize, size } = entry;
  if (!entry.isReadable || packedSize > size + size / 8 + MAX_OVERHEAD) throw damaged(entry);
  const header = bytesAt(file, offset, HEADER_BYTES, entry);
  if (header.readUInt32LE(0) !== SIGNATURE) throw damaged(entry);
  // The header has its own name and extra field.
  return offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

function bytesAt(file: number, position: number, length: number, entry: ZippedContent): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length;) {
    const more = readSync(file, bytes, read, length - read, position + read);
    if (more === 0) throw damaged(entry);
    read += more;
  }
  return bytes;
}

function damaged({ name }: ZippedContent): UnreadableError {
  return new UnreadableError(`${name} in the zip file is damaged`);
}
