import type { ChatFilter, ChatPosition } from '../../conversation/reads.js';
import type { ChatRange, FilterSteps } from '../dialects/dialect.js';
import type { Reader } from './reader.js';

/** How many chats, and about how many bytes of their metadata, one statement looks through. */
const CHATS_AT_ONCE = 500;
const BYTES_AT_ONCE = 4 * 1024 ** 2;

/** More bytes than that are looked through where it holds up nobody. */
const FEW_BYTES = 256 * 1024;

interface Size extends ChatPosition {
  bytes: number;
}

/**
 * The ids of the chats that a filter on metadata finds, in the order of the list, some at a time: somebody may have any number of
 * chats, and much in each.
 */
export async function* idsOfFiltered(
  { rows }: Pick<Reader, 'rows'>,
  { sizes, meeting }: FilterSteps,
  { userId, metadata }: ChatFilter,
  range: ChatRange,
  order: 'newest' | 'oldest',
): AsyncGenerator<string[]> {
  let { after, before } = range;
  let found: Size[];
  do {
    found = await rows<Size>(sizes(userId, { after, before }, order, CHATS_AT_ONCE));
    for (const { ids, bytes } of steps(found)) {
      const met = new Set<string>();
      const expected = bytes > FEW_BYTES ? Infinity : 0;
      for (const { id } of await rows<{ id: string }>(meeting(ids, metadata), expected)) met.add(id);
      yield ids.filter((id) => met.has(id));
    }
    const last = found.at(-1);
    const position = last === undefined ? null : { updatedAt: Number(last.updatedAt), id: last.id };
    if (order === 'newest') after = position;
    else before = position;
  } while (found.length === CHATS_AT_ONCE);
}

/** As many of them at a time as one statement looks through. */
function* steps(sizes: readonly Size[]): Generator<{ ids: string[]; bytes: number }> {
  let ids: string[] = [];
  let bytes = 0;
  for (const size of sizes) {
    if (ids.length > 0 && bytes + size.bytes > BYTES_AT_ONCE) {
      yield { ids, bytes };
      ids = [];
      bytes = 0;
    }
    ids.push(size.id);
    bytes += size.bytes;
  }
  if (ids.length > 0) yield { ids, bytes };
}
