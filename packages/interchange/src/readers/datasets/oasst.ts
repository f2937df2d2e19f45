/** OpenAssistant: message trees, an object per tree with nested replies, and lists of messages, in any order, of any number of trees. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import { textOf, without, idOf, withoutNull, isoToMs } from '../shared/members.js';
import type {
  ValueReader,
  LinesReader,
  FoundSource,
  SourceNode,
  NodeContent,
  Role,
} from '../../source-conversation.js';
import { textParts } from '../shared/parts.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['prompter', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);

/**
 * A message of OpenAssistant.
 * @param message without its id, its parent and its replies
 */
function oasstContent(message: JsonObject): NodeContent {
  const { text, ...others } = message;
  const parts = textParts(text);
  return {
    role: ROLES.get(others['role']) ?? 'assistant',
    parts,
    createTime: others['created_date'] ?? undefined,
    original: parts.length > 0 || text === undefined ? others : { text, ...others },
    fingerprinted: text,
  };
}

export const oasstTrees: ValueReader = {
  name: 'oasst',
  label: 'OASST trees',
  claims: (value) => ('message_tree_id' in value && 'prompt' in value) || isNested(value),
  // A nested message is a tree without the surrounding object.
  read: (value) => [readTree(isNested(value) ? { message_tree_id: value['message_id'], prompt: value } : value)],
};

function isNested(value: JsonObject): boolean {
  return 'message_id' in value && Array.isArray(value['replies']) && !('prompt' in value);
}

function readTree(tree: JsonObject): FoundSource {
  const { message_tree_id: treeId, tree_state: treeState, prompt, ...original } = tree;
  if (textOf(treeId) === null) throw new UnreadableError('message_tree_id is not an id');
  const nodes = readNodes(prompt);
  return {
    source: 'oasst',
    conversationId: treeId as string,
    title: null,
    createdAt: null,
    updatedAt: null,
    nodes,
    activeNode: firstLeaf(nodes),
    details: {
      ...(treeState === undefined ? {} : { treeState }),
      ...(isJsonObject(prompt) && typeof prompt['lang'] === 'string' ? { lang: prompt['lang'] } : {}),
    },
    original,
    warnings: [],
  };
}

/** Depth first, without recursion: replies can be nested deeper than the stack allows. */
function readNodes(prompt: unknown): SourceNode[] {
  const nodes: SourceNode[] = [];
  const seen = new Set<string>();
  const open: { value: unknown; parentId: string | null }[] = [{ value: prompt, parentId: null }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, parentId } = item;
    const { node, replies } = readMessage(value, parentId);
    if (seen.has(node.id)) throw new UnreadableError(`Message ${node.id} is in the tree twice`);
    seen.add(node.id);
    nodes.push(node);
    for (const reply of replies.toReversed()) open.push({ value: reply, parentId: node.id });
  }
  return nodes;
}

function readMessage(value: unknown, parentId: string | null): { node: SourceNode; replies: unknown[] } {
  const name = parentId === null ? 'prompt' : `A reply to ${parentId}`;
  if (!isJsonObject(value)) throw new UnreadableError(`${name} is not a message`);
  const { message_id: id, replies, created_date: createdDate } = value;
  if (textOf(id) === null) throw new UnreadableError(`${name} has no message_id`);
  const node: SourceNode = {
    id: id as string,
    parentId,
    createdAt: isoToMs(createdDate),
    content: () => oasstContent(without(value, 'message_id', 'parent_id', 'replies')),
  };
  return { node, replies: Array.isArray(replies) ? byRank(replies) : [] };
}

/** The best rank first; replies without a rank last, in the order of the file. */
function byRank(replies: readonly unknown[]): unknown[] {
  const rank = (reply: unknown) =>
    isJsonObject(reply) && typeof reply['rank'] === 'number' ? reply['rank'] : Number.MAX_VALUE;
  return replies.toSorted((a, b) => rank(a) - rank(b));
}

/** The leaf of the best reply at every step: the first one in depth-first order. */
function firstLeaf(nodes: readonly SourceNode[]): string | null {
  const next = nodes.findIndex((node, n) => nodes[n + 1]?.parentId !== node.id);
  return nodes[next]?.id ?? null;
}

export const oasstMessages: LinesReader = {
  name: 'oasst-messages',
  label: 'OASST messages',
  claims: (value) =>
    'message_tree_id' in value && 'message_id' in value && !('prompt' in value) && !('replies' in value),
  continues: () => false,
  keyOf: (value) => idOf(value['message_tree_id']),
  readAll: (values) => [readList(values)],
};

function readList(messages: readonly JsonObject[]): FoundSource {
  const treeId = idOf(messages[0]?.['message_tree_id']);
  if (treeId === null) throw new UnreadableError('message_tree_id is not an id');
  const graph = new SourceGraph();
  // Siblings are in the order of the nodes.
  for (const value of byRank(messages) as JsonObject[]) {
    graph.add({
      id: value['message_id'],
      parent: value['parent_id'],
      createdAt: isoToMs(value['created_date']),
      content: () => oasstContent(without(value, 'message_id', 'parent_id', 'message_tree_id', 'tree_state')),
    });
  }
  const [first] = messages;
  const { tree_state: treeState, lang } = first ?? {};
  const conversation = foundConversation({
    // The same source as trees, so that both forms of a tree are one chat.
    source: 'oasst',
    id: treeId,
    title: null,
    graph,
    details: withoutNull({ treeState, lang }),
    original: {},
  });
  return { ...conversation, activeNode: firstLeaf(conversation.nodes) };
}
