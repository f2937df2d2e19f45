/** Reads a small file of a zip synchronously: content() of a message cannot wait. */
import { readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import { UnreadableError } from '../unreadable.js';

/** A file's entry in the zip's directory. */
export interface ZippedContent {
  readonly name: string;
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
  const { offset, packedSize, size, checksum, isDeflated } = entry;
  if (!entry.isReadable || packedSize > size + (size >> 3) + MAX_OVERHEAD) throw damaged(entry);
  const header = bytesAt(file, offset, HEADER_BYTES, entry);
  if (header.readUInt32LE(0) !== SIGNATURE) throw damaged(entry);
  // The header has its own name and extra field.
  const start = offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
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
