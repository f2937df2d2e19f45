/** Builds the tree of the requested messages, and the nearest of them above each branch head. */
import { scopeKey } from '../../../conversation/chat-scoped.js';
import type { Branch } from '../../../conversation/model.js';
import type { PathTop } from '../../dialects/requests.js';
import { findDamagedLink } from './damaged-links.js';
import { headKey, LinkWalk, type RequestedTree, type Located } from './link-walk.js';
import type { Reader } from '../reader.js';
import type { Keyed } from '../rows.js';

/**
 * Up to this many pairs of head and depth are looked up along jumps. Beyond, every message above the heads is read
 * once.
 */
const MAX_LOOKUPS = 5_000;

/** Lookups per statement. */
const LOOKUPS_AT_ONCE = 1_000;

export async function requestedTree(
  reader: Reader,
  messages: readonly Located[],
  branches: readonly Branch[],
): Promise<RequestedTree> {
  const pairs = lookups(messages, branches);
  return pairs === null ? new LinkWalk(reader, messages, branches).walk() : byLookup(reader, messages, pairs);
}

/** Each head with each requested depth of its chat that is not below it, from the root down; null when too many. */
function lookups(messages: readonly Located[], branches: readonly Branch[]): PathTop[] | null {
  const depths = new Map<string, Set<number>>();
  for (const { chatId, depth } of messages.toSorted((one, other) => one.depth - other.depth)) {
    depths.set(chatId, (depths.get(chatId) ?? new Set()).add(depth));
  }
  const pairs: PathTop[] = [];
  const heads = new Map(branches.map((branch) => [headKey(branch), branch]));
  for (const { chatId, headMessageId: messageId, messageCount } of heads.values()) {
    if (messageId === null) continue;
    for (const toDepth of depths.get(chatId) ?? []) {
      if (toDepth >= messageCount) break;
      if (pairs.length === MAX_LOOKUPS) return null;
      pairs.push({ chatId, messageId, toDepth });
    }
  }
  return pairs;
}

async function byLookup(
  reader: Reader,
  messages: readonly Located[],
  pairs: readonly PathTop[],
): Promise<RequestedTree> {
  const { sql, rows } = reader;
  const asked = new Set(messages.map(scopeKey));
  const nearest = new Map<string, string>();
  const above = new Map<string, string>();
  for (let from = 0; from < pairs.length; from += LOOKUPS_AT_ONCE) {
    const some = pairs.slice(from, from + LOOKUPS_AT_ONCE);
    const found = await rows<Keyed & { id: string }>(sql.ancestors(some), some.length);
    // In pair order, so that the last one is the nearest to its head.
    for (const { n, id } of found.sort((one, other) => one.n - other.n)) {
      const pair = some[n];
      if (pair === undefined) continue;
      const { chatId, messageId } = pair;
      const key = scopeKey({ chatId, id });
      if (!asked.has(key)) continue;
      const head = scopeKey({ chatId, id: messageId });
      const upper = nearest.get(head);
      if (upper !== undefined) above.set(key, upper);
      nearest.set(head, key);
    }
    await checkLookups(reader, some, found);
  }
  return { nearest, above };
}

/** Searches for a damaged row where an ancestor was not found. */
async function checkLookups(reader: Reader, pairs: readonly PathTop[], found: readonly Keyed[]): Promise<void> {
  if (found.length === pairs.length) return;
  const answered = new Set(found.map(({ n }) => n));
  const missing = pairs.find((_, n) => !answered.has(n));
  if (missing === undefined) return;
  const { chatId, messageId: id, toDepth } = missing;
  await findDamagedLink(reader, { chatId, id }, toDepth);
}
