import type { Message } from '../../conversation/model.js';
import type { PathPiece } from '../dialects/dialect.js';
import type { Indexed } from './row-format.js';

/** How many messages one statement answers with: they are taken in at once. */
const AT_ONCE = 10_000;

type Row = Message & Indexed;

/**
 * The messages of pieces of paths, with the index of their piece, in no promised order.
 * @param read reads pieces that have so many messages together at most
 */
export async function pathsInSteps(
  pieces: readonly PathPiece[],
  read: (pieces: readonly PathPiece[], count: number) => Promise<Row[]>,
): Promise<Row[]> {
  const left = pieces.map((piece, n) => ({ ...piece, n })).reverse();
  const found: Row[] = [];
  while (left.length > 0) {
    const step: typeof left = [];
    let count = 0;
    /** What a long piece has beyond this step. */
    let rest = 0;
    for (let piece = left.pop(); piece !== undefined; piece = count < AT_ONCE ? left.pop() : undefined) {
      const length = Math.min(piece.length, AT_ONCE - count);
      step.push({ ...piece, length });
      count += length;
      rest = piece.length - length;
    }
    const last = step.at(-1);
    let highest: Row | undefined;
    for (const row of await read(step, count)) {
      if (row.n === step.length - 1 && (highest === undefined || row.depth < highest.depth)) highest = row;
      row.n = step[row.n]?.n ?? 0;
      found.push(row);
    }
    const next = highest?.parentId ?? null;
    if (rest > 0 && last !== undefined && next !== null) {
      left.push({ messageId: next, toDepth: null, length: rest, n: last.n });
    }
  }
  return found;
}
