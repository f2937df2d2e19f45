/** Characters that are given to a stream at once. */
const PIECE = 64 * 1024;

/** Texts of a size that is worth a write. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let piece: string[] = [];
  let size = 0;
  for await (const text of texts) {
    piece.push(text);
    size += text.length;
    if (size < PIECE) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
    size = 0;
  }
  if (size > 0) yield Buffer.from(piece.join(''));
}
