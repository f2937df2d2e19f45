import type { Message } from '../../../conversation/model.js';
import type { PathPiece } from '../../dialects/requests.js';
import { findDamagedLink, type LinkSource } from './damaged-links.js';
import type { Keyed } from '../../dialects/row-format.js';

export const MESSAGES_PER_STEP = 10_000;

type Row = Message & Keyed;

interface NumberedPiece extends PathPiece {
  /** The index of the original piece. */
  readonly n: number;
  /** The last message of the previous step; this step begins at its parent. */
  readonly below?: Row;
}

/**
 * The messages of path pieces with the index of their piece, unordered.
 * @param read reads pieces with a bounded total length
 * @throws DamagedDataError when a path cannot be followed
 */
export async function pathsInSteps(
  source: LinkSource,
  pieces: readonly PathPiece[],
  read: (pieces: readonly PathPiece[], count: number) => Promise<Row[]>,
): Promise<Row[]> {
  const left = pieces.map((piece, n): NumberedPiece => ({ ...piece, n })).reverse();
  const found: Row[] = [];
  while (left.length > 0) {
    const steps: NumberedPiece[] = [];
    let count = 0;
    /** The rest of a long piece. */
    let rest = 0;
    for (let piece = left.pop(); piece !== undefined; piece = count < MESSAGES_PER_STEP ? left.pop() : undefined) {
      const length = Math.min(piece.length, MESSAGES_PER_STEP - count);
      steps.push({ ...piece, length });
      count += length;
      rest = piece.length - length;
    }
    const walks = steps.map((): Walk => ({ length: 0 }));
    for (const row of await read(steps, count)) {
      const walk = walks[row.n];
      if (walk !== undefined) note(walk, row);
      row.n = steps[row.n]?.n ?? 0;
      found.push(row);
    }
    for (const [n, step] of steps.entries()) await checkWalk(source, step, walks[n] ?? { length: 0 });
    const last = steps.at(-1);
    const highest = walks.at(-1)?.highest;
    if (rest > 0 && last !== undefined && highest?.parentId != null) {
      left.push({ ...last, messageId: highest.parentId, toDepth: null, length: rest, below: highest });
    }
  }
  return found;
}

/** The result of a step. */
interface Walk {
  length: number;
  lowest?: Row;
  highest?: Row;
}

function note(walk: Walk, row: Row): void {
  walk.length++;
  if (walk.lowest === undefined || row.depth > walk.lowest.depth) walk.lowest = row;
  if (walk.highest === undefined || row.depth < walk.highest.depth) walk.highest = row;
}

/** Searches for a damaged row when a step returns too few messages. */
async function checkWalk(source: LinkSource, step: NumberedPiece, { length, lowest, highest }: Walk): Promise<void> {
  const { chatId, messageId, toDepth, below } = step;
  if (step.length === 0) return;
  // A statement does not verify that its first message is the parent.
  if (below !== undefined && lowest?.depth !== below.depth - 1) await findDamagedLink(source, below, below.depth - 1);
  if (highest === undefined) {
    if (toDepth !== null) await findDamagedLink(source, { chatId, id: messageId }, toDepth);
  } else if (length < step.length && highest.depth > 0) {
    await findDamagedLink(source, highest, highest.depth - 1);
  }
}
