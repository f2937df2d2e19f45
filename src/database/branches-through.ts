/** Which branches run through a message: those whose head it is, or is an ancestor of. */
import type { Branch, Message } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { Reader } from './reads.js';
import { byKey, toBranch, type BranchRow, type Keyed } from './rows.js';

/**
 * Up to so many pairs of a head and a depth, each is looked up along the jumps. Beyond, every message above the heads is
 * read once, whatever their number.
 */
const MAX_LOOKUPS = 5000;

type Located = Pick<Message, 'id' | 'chatId' | 'depth'>;

/** The heads that are reached from each message. Messages with the same heads may share the array. */
type HeadsBelow = Map<string, readonly string[]>;

export function branchesThrough(reader: Reader): ConversationReads['branchesThrough'] {
  const { sql, rows } = reader;
  return async (messages) => {
    const chatIds = [...new Set(messages.map((message) => message.chatId))];
    const branches = byKey(await rows<BranchRow & Keyed>(sql.branchesOf(chatIds)), chatIds, toBranch).flat();
    const pairs = lookups(messages, branches);
    const heads =
      pairs.length <= MAX_LOOKUPS ? await byLookup(reader, pairs) : await byWalk(reader, messages, branches);

    const branchesOfHeads = new Map<readonly string[], Branch[]>();
    return messages.map(({ id }) => {
      const below = heads.get(id) ?? [];
      let through = branchesOfHeads.get(below);
      if (through === undefined) {
        const ids = new Set(below);
        through = branches.filter(({ headMessageId }) => headMessageId !== null && ids.has(headMessageId));
        branchesOfHeads.set(below, through);
      }
      return through;
    });
  };
}

interface Lookup {
  messageId: string;
  toDepth: number;
}

/** Each head with each depth that is asked about in its chat and is not below it. */
function lookups(messages: readonly Located[], branches: readonly Branch[]): Lookup[] {
  const depths = new Map<string, Set<number>>();
  for (const { chatId, depth } of messages) depths.set(chatId, (depths.get(chatId) ?? new Set()).add(depth));
  const heads = new Map(branches.map((branch) => [branch.headMessageId, branch]));
  return [...heads].flatMap(([messageId, { chatId, messageCount }]) =>
    messageId === null
      ? []
      : [...(depths.get(chatId) ?? [])].flatMap((toDepth) => (toDepth < messageCount ? [{ messageId, toDepth }] : [])),
  );
}

async function byLookup({ sql, rows }: Reader, pairs: readonly Lookup[]): Promise<HeadsBelow> {
  const found = await rows<Keyed & { id: string }>(sql.ancestors(pairs));
  const heads = new Map<string, string[]>();
  for (const { n, id } of found) {
    const head = pairs[Number(n)]?.messageId;
    if (head === undefined) continue;
    const others = heads.get(id);
    if (others === undefined) heads.set(id, [head]);
    else others.push(head);
  }
  return heads;
}

async function byWalk(
  { sql, rows }: Reader,
  messages: readonly Located[],
  branches: readonly Branch[],
): Promise<HeadsBelow> {
  const highest = new Map<string, number>();
  for (const { chatId, depth } of messages) highest.set(chatId, Math.min(highest.get(chatId) ?? depth, depth));
  const tops = new Map<string, number>();
  for (const { headMessageId, chatId } of branches)
    if (headMessageId !== null) tops.set(headMessageId, highest.get(chatId) ?? 0);
  const pieces = [...tops].map(([messageId, toDepth]) => ({ messageId, toDepth }));
  const links = await rows<{ id: string; parentId: string | null }>(sql.linksAbove(pieces));

  // From the deepest up, so that a message has heard of all heads below it when its own turn comes.
  const heads = new Map<string, readonly string[]>(pieces.map(({ messageId }) => [messageId, [messageId]]));
  for (const { id, parentId } of links) {
    if (parentId === null) continue;
    const below = heads.get(id) ?? [];
    const others = heads.get(parentId);
    heads.set(parentId, others === undefined ? below : [...others, ...below]);
  }
  return heads;
}
