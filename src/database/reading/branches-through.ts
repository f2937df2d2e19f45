/** Which branches run through a message: those whose head it is, or is an ancestor of. */
import type { Branch, Message } from '../../conversation/model.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { Reader } from './reader.js';
import { byKey, toBranch, type BranchRow, type Keyed } from './rows.js';

/**
 * Up to so many pairs of a head and a depth, each is looked up along the jumps. Beyond, every message above the heads is
 * read once, whatever their number.
 */
const MAX_LOOKUPS = 5000;

/** What a branch takes in each of the lists that have it. */
const BYTES_PER_REFERENCE = 8;

type Located = Pick<Message, 'id' | 'chatId' | 'depth'>;

/** The messages asked about as a tree of their own, without those between. Each of them has a head at or below it. */
interface AskedTree {
  /** By the head of a branch: the message asked about that is it, or is nearest above it. */
  nearest: Map<string, string>;
  /** By a message asked about: the next one above it. */
  above: Map<string, string>;
}

export function branchesThrough(reader: Reader): ConversationReads['branchesThrough'] {
  const { sql, rows } = reader;
  return async (messages) => {
    const chatIds = [...new Set(messages.map((message) => message.chatId))];
    const branches = byKey(await rows<BranchRow & Keyed>(sql.branchesOf(chatIds)), chatIds, toBranch).flat();
    const pairs = lookups(messages, branches);
    const tree =
      pairs.length <= MAX_LOOKUPS ? await byLookup(reader, messages, pairs) : await byWalk(reader, messages, branches);
    const lists = listsOf(tree, messages, branches, (count) => reader.take(BYTES_PER_REFERENCE * count));
    return messages.map(({ id }) => lists.get(id)?.branches ?? []);
  };
}

interface Lookup {
  messageId: string;
  toDepth: number;
}

/** Each head with each depth that is asked about in its chat and is not below it, from the root down. */
function lookups(messages: readonly Located[], branches: readonly Branch[]): Lookup[] {
  const depths = new Map<string, Set<number>>();
  for (const { chatId, depth } of rootsFirst(messages)) {
    depths.set(chatId, (depths.get(chatId) ?? new Set()).add(depth));
  }
  const heads = new Map(branches.map((branch) => [branch.headMessageId, branch]));
  return [...heads].flatMap(([messageId, { chatId, messageCount }]) =>
    messageId === null
      ? []
      : [...(depths.get(chatId) ?? [])].flatMap((toDepth) => (toDepth < messageCount ? [{ messageId, toDepth }] : [])),
  );
}

async function byLookup(
  { sql, rows }: Reader,
  messages: readonly Located[],
  pairs: readonly Lookup[],
): Promise<AskedTree> {
  const found = await rows<Keyed & { id: string }>(sql.ancestors(pairs));
  const asked = new Set(messages.map(({ id }) => id));
  const nearest = new Map<string, string>();
  const above = new Map<string, string>();
  // In the order of the pairs: so far down, the nearest to a head is the one that came last.
  for (const { n, id } of found.sort((one, other) => Number(one.n) - Number(other.n))) {
    const head = pairs[Number(n)]?.messageId;
    if (head === undefined || !asked.has(id)) continue;
    const upper = nearest.get(head);
    if (upper !== undefined) above.set(id, upper);
    nearest.set(head, id);
  }
  return { nearest, above };
}

async function byWalk(
  { sql, rows }: Reader,
  messages: readonly Located[],
  branches: readonly Branch[],
): Promise<AskedTree> {
  const highest = new Map<string, number>();
  for (const { chatId, depth } of messages) highest.set(chatId, Math.min(highest.get(chatId) ?? depth, depth));
  const tops = new Map<string, number>();
  for (const { headMessageId, chatId } of branches)
    if (headMessageId !== null) tops.set(headMessageId, highest.get(chatId) ?? 0);
  const pieces = [...tops].map(([messageId, toDepth]) => ({ messageId, toDepth }));
  const links = await rows<{ id: string; parentId: string | null }>(sql.linksAbove(pieces));

  const asked = new Set(messages.map(({ id }) => id));
  const nearest = new Map<string, string>();
  const above = new Map<string, string>();
  // They come from the deepest up. From the root down, a message's parent has had its turn.
  for (const { id, parentId } of links.reverse()) {
    const upper = parentId === null ? undefined : nearest.get(parentId);
    if (asked.has(id)) {
      if (upper !== undefined) above.set(id, upper);
      nearest.set(id, id);
    } else if (upper !== undefined) nearest.set(id, upper);
  }
  return { nearest, above };
}

/** The branches through a message; messages that have the same ones share it. */
interface List {
  readonly branches: Branch[];
  /** The next list upwards, which has these and others. */
  above: List | undefined;
}

/** By the messages asked about. Takes as long as the lists are together, and keeps nothing else of that size. */
function listsOf(
  { nearest, above }: AskedTree,
  messages: readonly Located[],
  branches: readonly Branch[],
  count: (references: number) => void,
) {
  /** From how many sides a message has its branches: from each of the next messages below, and from heads of its own. */
  const sides = new Map<string, number>();
  const ended = new Set(branches.map(({ headMessageId }) => headMessageId && nearest.get(headMessageId)));
  for (const id of [...ended, ...above.values()]) if (id) sides.set(id, (sides.get(id) ?? 0) + 1);

  const lists = new Map<string, List>();
  for (const { id } of rootsFirst(messages).reverse()) {
    if (!sides.has(id)) continue;
    const list = lists.get(id) ?? { branches: [], above: undefined };
    lists.set(id, list);
    const upper = above.get(id);
    if (upper === undefined) continue;
    if (sides.get(upper) === 1) lists.set(upper, list);
    else {
      list.above = lists.get(upper) ?? { branches: [], above: undefined };
      lists.set(upper, list.above);
    }
  }

  for (const branch of branches) {
    const end = branch.headMessageId === null ? undefined : nearest.get(branch.headMessageId);
    let references = 0;
    for (let list = end === undefined ? undefined : lists.get(end); list !== undefined; list = list.above) {
      list.branches.push(branch);
      references++;
    }
    count(references);
  }
  return lists;
}

function rootsFirst(messages: readonly Located[]): Located[] {
  return messages.toSorted((one, other) => one.depth - other.depth);
}
