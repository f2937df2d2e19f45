/**
 * Consecutive pieces of a list, of at most `maxLength` items with a bounded size together, except single larger items.
 * @param maxSize in the unit of `sizeOf`
 */
export function* boundedPieces<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
  maxSize: number,
  maxLength = Infinity,
): Generator<T[], undefined> {
  let piece: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (piece.length > 0 && (piece.length === maxLength || size + more > maxSize)) {
      yield piece;
      piece = [];
      size = 0;
    }
    piece.push(item);
    size += more;
  }
  if (piece.length > 0) yield piece;
}
