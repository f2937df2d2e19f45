import { crc32, deflateRawSync } from 'node:zlib';

/**
 * A zip file of these entries: name and content.
 * @param isShared whether all entries point to the content of the first one, as those of a zip bomb do
 */
export function writeZip(entries: Readonly<Record<string, string | Buffer>>, isShared = false): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let packing = packedContent('');
  let last: string | Buffer = '';
  for (const [name, content] of Object.entries(entries)) {
    const isPacked = files.length > 0 && (isShared || content === last);
    const { packed, checksum } = isPacked ? packing : (packing = packedContent(content));
    last = content;
    // Version, flags, method, time, date, checksum, both sizes, length of the name, length of the extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(checksum, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(Buffer.byteLength(content), 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const made = Buffer.from([20, 0]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), made, common, place, Buffer.from(name)]));
    if (isShared && files.length > 0) continue;
    files.push(file);
    if (!isShared) offset += file.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(Buffer.concat(files).length, 16);
  return Buffer.concat([...files, ...directory, end]);
}

function packedContent(content: string | Buffer): { packed: Buffer; checksum: number } {
  return { packed: deflateRawSync(content), checksum: crc32(content) };
}
