/** Walks to the leaves by the newest child, in pieces, because conversations may have any length. */
import type { Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import type { LeafWalks } from '../../../conversation/reads.js';
import type { Dialect } from '../../dialects/dialect.js';

/** Messages per statement: pieces of a path end at multiples of this depth. */
export const WALK_PIECE = 1_000;

/** Messages per statement for all walks together; fewer in the first, which is usually the last. */
const FIRST_STEPS = 500;
const STEPS_AT_ONCE = 5_000;

interface Descent {
  id: string;
  /** Null at a leaf. */
  next: string | null;
}

interface Source {
  readonly sql: Pick<Dialect, 'leafBelow' | 'newestChildren'>;
  take(bytes: number): void;
  rows<T extends object>(statement: Sql, expected?: number): Promise<T[]>;
}

const BYTES_PER_STEP = 128;

/** The leaf below a message, or the message itself. The walk also ends at a deleted message. */
export async function leafBelow(
  { sql, rows }: Pick<Source, 'sql' | 'rows'>,
  { chatId, id }: ChatScoped,
): Promise<string> {
  for (let at = id; ;) {
    const [end] = await rows<Descent>(sql.leafBelow({ chatId, id: at }, WALK_PIECE));
    if (end === undefined) return at;
    if (end.next === null) return end.id;
    at = end.next;
  }
}

/** The leaves below several messages; walks that meet are merged. */
export async function leavesBelow(
  { sql, rows, take }: Source,
  messages: readonly ChatScoped[],
  next: LeafWalks = new Map(),
): Promise<string[]> {
  let steps = FIRST_STEPS;
  for (let ends = unwalked(next, messages); ends.length > 0; steps = STEPS_AT_ONCE) {
    // The first rows are the messages themselves, then each walk continues.
    const limit = Math.max(steps, 2 * ends.length);
    const found = await rows<Descent>(sql.newestChildren(ends, limit), limit);
    take(BYTES_PER_STEP * found.length);
    for (const step of found) next.set(step.id, step.next);
    for (const { id } of ends) if (!next.has(id)) next.set(id, null);
    ends = unwalked(next, ends);
  }
  return messages.map(({ id }) => followToEnd(next, id));
}

/** The present ends of unfinished walks. */
function unwalked(next: LeafWalks, messages: readonly ChatScoped[]): ChatScoped[] {
  const ends = new Map(messages.map(({ chatId, id }) => [followToEnd(next, id), chatId]));
  return [...ends].flatMap(([id, chatId]) => (next.has(id) ? [] : [{ chatId, id }]));
}

/** The known end of a walk. Shortens its steps, so that merged walks are followed once. */
function followToEnd(next: LeafWalks, id: string): string {
  let end = id;
  for (let step = next.get(end); step != null; step = next.get(end)) end = step;
  for (let at = id; at !== end;) {
    const step = next.get(at) ?? end;
    next.set(at, end);
    at = step;
  }
  return end;
}
