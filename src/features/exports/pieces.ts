/** Characters per write to a stream. */
const PIECE = 64 * 1024;

/**
 * Joins texts into buffers that are large enough for a write. An error of the source is thrown after the texts before
 * it.
 */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let piece: string[] = [];
  let size = 0;
  let failure: { error: unknown } | null = null;
  try {
    for await (const text of texts) {
      piece.push(text);
      size += text.length;
      if (size < PIECE) continue;
      yield Buffer.from(piece.join(''));
      piece = [];
      size = 0;
    }
  } catch (error) {
    failure = { error };
  }
  if (size > 0) yield Buffer.from(piece.join(''));
  if (failure !== null) throw failure.error;
}
