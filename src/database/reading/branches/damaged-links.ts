/**
 * Explains why a walk stopped. Walks follow links only to smaller depths of the same chat; a short result means a
 * damaged row, or a deletion meanwhile.
 */
import type { Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import { DamagedDataError } from '../../../conversation/errors.js';
import type { Dialect } from '../../dialects/dialect.js';

/** A message with the depths of its parent and of its jump; null where the chat has no such message. */
interface MessageLinks {
  id: string;
  depth: number;
  parentId: string | null;
  jumpId: string;
  parentDepth: number | null;
  jumpDepth: number | null;
}

export interface LinkSource {
  readonly sql: Pick<Dialect, 'linksOf'>;
  rows<T extends object>(statement: Sql): Promise<T[]>;
}

/** Above the length of any intact walk: 2 jumps per bit of a depth. */
const MAX_STEPS = 64;

/**
 * Walks again, row by row. Returns when no row is damaged, as after a deletion.
 * @param toDepth the end of the walk
 * @throws DamagedDataError that names the row where the walk stops
 */
export async function findDamagedLink({ sql, rows }: LinkSource, from: ChatScoped, toDepth: number): Promise<void> {
  const { chatId } = from;
  let id: string | null = from.id;
  for (let step = 0; id !== null; step++) {
    const [links]: MessageLinks[] = await rows<MessageLinks>(sql.linksOf({ chatId, id }));
    if (links === undefined) return;
    if (step === MAX_STEPS || !isSound(links)) throw new DamagedDataError(describe(chatId, links));
    if (links.depth <= toDepth) return;
    id = (links.jumpDepth ?? 0) >= toDepth ? links.jumpId : links.parentId;
  }
}

function isSound({ id, depth, parentId, jumpId, parentDepth, jumpDepth }: MessageLinks): boolean {
  if (parentId === null) return depth === 0 && jumpId === id;
  return (parentDepth ?? -1) === depth - 1 && jumpDepth !== null && jumpDepth < depth;
}

function describe(chatId: string, { id, depth, parentId, jumpId, parentDepth, jumpDepth }: MessageLinks): string {
  const place = (target: string | null, at: number | null) =>
    target === null ? 'none' : `"${target}" (${at === null ? 'not in this chat' : `depth ${at}`})`;
  return (
    `Message "${id}" of chat "${chatId}" (depth ${depth}) is damaged: its parent is ${place(parentId, parentDepth)}, its jump ` +
    `${place(jumpId, jumpDepth)}. A parent must be one depth above its child and a jump at a smaller depth of the same chat; ` +
    'a root has depth 0 and jumps to itself. Run `npm run check` to find all damaged rows'
  );
}
