/** Message trees as OpenAssistant exports them: one JSON object a tree, replies nested in what they reply to. */
import { isJsonObject } from '../conversation/merge-patch.js';
import type { Role, SourceConversation, SourceNode } from './source-conversation.js';
import { isoToMs } from './times.js';
import { UnreadableError } from './unreadable.js';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['prompter', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);

/** Whether a JSON value is an OASST tree, well-formed or not. */
export function isOasst(value: Record<string, unknown>): boolean {
  return 'message_tree_id' in value && 'prompt' in value;
}

/** @throws UnreadableError */
export function readOasst(tree: Record<string, unknown>): SourceConversation {
  const { message_tree_id: treeId, tree_state: treeState, prompt, ...original } = tree;
  if (typeof treeId !== 'string' || treeId === '') throw new UnreadableError('message_tree_id is not an id');
  const nodes = readNodes(prompt);
  return {
    source: 'oasst',
    conversationId: treeId,
    title: null,
    createTime: null,
    updateTime: null,
    nodes,
    activeNode: bestLeaf(nodes),
    details: {
      ...(treeState === undefined ? {} : { treeState }),
      ...(isJsonObject(prompt) && typeof prompt['lang'] === 'string' ? { lang: prompt['lang'] } : {}),
    },
    original,
    warnings: [],
  };
}

/** Depth first, without recursion: replies may be nested deeper than the stack allows. */
function readNodes(prompt: unknown): SourceNode[] {
  const nodes: SourceNode[] = [];
  const seen = new Set<string>();
  const open: { value: unknown; parentId: string | null }[] = [{ value: prompt, parentId: null }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, parentId } = item;
    const { node, replies } = readMessage(value, parentId);
    if (seen.has(node.id)) throw new UnreadableError(`Message ${node.id} stands in the tree twice`);
    seen.add(node.id);
    nodes.push(node);
    for (const reply of replies.toReversed()) open.push({ value: reply, parentId: node.id });
  }
  return nodes;
}

function readMessage(value: unknown, parentId: string | null): { node: SourceNode; replies: unknown[] } {
  if (!isJsonObject(value)) {
    throw new UnreadableError(
      parentId === null ? 'prompt is not a message' : `A reply to ${parentId} is not a message`,
    );
  }
  const { message_id: id, parent_id: _, text, replies, ...others } = value;
  if (typeof id !== 'string' || id === '') {
    throw new UnreadableError(
      parentId === null ? 'prompt has no message_id' : `A reply to ${parentId} has no message_id`,
    );
  }
  const hasText = typeof text === 'string' && text !== '';
  const node: SourceNode = {
    id,
    parentId,
    role: ROLES.get(others['role']) ?? 'assistant',
    parts: hasText ? [{ type: 'text', text }] : [],
    createdAt: isoToMs(others['created_date']),
    createTime: others['created_date'] ?? undefined,
    hidden: false,
    original: hasText || text === undefined ? others : { text, ...others },
  };
  return { node, replies: Array.isArray(replies) ? byRank(replies) : [] };
}

/** Best first; those without a rank last, as they stand in the file. */
function byRank(replies: unknown[]): unknown[] {
  const rank = (reply: unknown) =>
    isJsonObject(reply) && typeof reply['rank'] === 'number' ? reply['rank'] : Number.MAX_VALUE;
  return replies.toSorted((a, b) => rank(a) - rank(b));
}

/** The leaf reached by the best reply at every step: the first in depth-first order. */
function bestLeaf(nodes: readonly SourceNode[]): string | null {
  const next = nodes.findIndex((node, n) => nodes[n + 1]?.parentId !== node.id);
  return nodes[next]?.id ?? null;
}
