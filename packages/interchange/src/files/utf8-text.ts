/** Text as UTF-8 without a byte order mark, from UTF-8, UTF-16 or UTF-32. */

/** JSON starts with an ASCII character: in UTF-16, a zero byte is next to it. */
function encodingOf(start: Uint8Array): { name: 'utf-8' | 'utf-16le' | 'utf-16be'; mark: number } {
  const [first, second, third] = start;
  if (first === 0xff && second === 0xfe) return { name: 'utf-16le', mark: 2 };
  if (first === 0xfe && second === 0xff) return { name: 'utf-16be', mark: 2 };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { name: 'utf-8', mark: 3 };
  if (first !== 0 && second === 0) return { name: 'utf-16le', mark: 0 };
  if (first === 0 && second !== 0) return { name: 'utf-16be', mark: 0 };
  return { name: 'utf-8', mark: 0 };
}

export async function* asUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let isKnown = false;
  for await (const chunk of bytes) {
    let piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (!isKnown) {
      start = Buffer.concat([start, piece]);
      if (start.length < 3) continue;
      isKnown = true;
      decoder = decoderOf(start);
      piece = withoutMark(start);
    }
    yield decoder === null ? piece : Buffer.from(decoder.decode(piece, { stream: true }));
  }
  if (!isKnown) {
    decoder = decoderOf(start);
    start = withoutMark(start);
    yield decoder === null ? start : Buffer.from(decoder.decode(start));
  } else if (decoder !== null) yield Buffer.from(decoder.decode());
}

function decoderOf(start: Uint8Array): InstanceType<typeof TextDecoder> | null {
  const { name } = encodingOf(start);
  return name === 'utf-8' ? null : new TextDecoder(name, { ignoreBOM: true });
}

function withoutMark(start: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(start.subarray(encodingOf(start).mark));
}
