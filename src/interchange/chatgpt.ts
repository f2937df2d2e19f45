/** Conversations as ChatGPT exports them in conversations.json. */
import { validate as isUuid } from 'uuid';
import { isJsonObject } from '../conversation/merge-patch.js';
import { readContent } from './chatgpt-parts.js';
import { keptTree, type KeptNode, type KeptTree } from './chatgpt-tree.js';
import type { Role, SourceConversation, SourceNode } from './source-conversation.js';
import { secondsToMs } from './times.js';
import { UnreadableError } from './unreadable.js';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** Whether a JSON value is a ChatGPT conversation, well-formed or not. */
export function isChatGpt(value: Record<string, unknown>): boolean {
  return isJsonObject(value['mapping']);
}

/** @throws UnreadableError */
export function readChatGpt(conversation: Record<string, unknown>): SourceConversation {
  const { mapping, title, create_time, update_time, current_node, conversation_id, id, ...others } = conversation;
  const { default_model_slug: model, ...original } = others;
  const tree = keptTree(isJsonObject(mapping) ? mapping : {});
  const active = findActive(current_node, tree);
  const nodes = tree.nodes.map(readNode);
  const unknownRoles = tree.nodes.filter((node) => !ROLES.has(authorRole(node))).length;
  return {
    source: 'chatgpt',
    conversationId: identify(conversation, tree.nodes[0]),
    title: typeof title === 'string' ? title : null,
    createTime: finite(create_time),
    updateTime: finite(update_time),
    nodes,
    activeNode: active.node,
    details: typeof model === 'string' ? { model } : {},
    original: withoutNull(original),
    warnings: [
      ...active.warnings,
      ...(unknownRoles > 0 ? [`${unknownRoles} of its messages have no known role and became the assistant's`] : []),
    ],
  };
}

/**
 * The node that `current_node` names, or, where that holds no message, the nearest above it. Else the leaf that is saved
 * last, which is the newest sibling at every step, because times order nothing.
 */
function findActive(current: unknown, tree: KeptTree): { node: string | null; warnings: string[] } {
  const last = tree.nodes.at(-1)?.id ?? null;
  const named = typeof current === 'string' ? (tree.nearestKept.get(current) ?? null) : null;
  if (named !== null || last === null) return { node: named, warnings: [] };
  const fault = current == null ? 'current_node is missing' : 'current_node names no message of the conversation';
  return { node: last, warnings: [`${fault}: the leaf saved last became the head of main`] };
}

/**
 * Its id, or what stays the same in every export of one that has none: a title may change, the first message and the
 * time of creation do not.
 */
function identify(conversation: Record<string, unknown>, first: KeptNode | undefined): string {
  for (const id of [conversation['conversation_id'], conversation['id']]) {
    if (typeof id === 'string' && id !== '') return id;
    if (typeof id === 'number') return String(id);
  }
  const { title, create_time: createTime } = conversation;
  if (finite(createTime) !== null) return JSON.stringify(['created', createTime, first?.id ?? null]);
  if (first !== undefined && isUuid(first.id)) return JSON.stringify(['first', first.id]);
  if (typeof title === 'string' && title !== '') return JSON.stringify(['title', title, first?.id ?? null]);
  throw new UnreadableError('Nothing identifies the conversation: it has no conversation_id, id, create_time or title');
}

function readNode(node: KeptNode): SourceNode {
  const { content, create_time: createTime, id, ...others } = node.message;
  const { parts, rest } = readContent(content);
  const metadata = others['metadata'];
  return {
    id: node.id,
    parentId: node.parentId,
    role: ROLES.get(authorRole(node)) ?? 'assistant',
    parts,
    createdAt: secondsToMs(createTime),
    createTime: createTime ?? undefined,
    hidden: isJsonObject(metadata) && metadata['is_visually_hidden_from_conversation'] === true,
    original: {
      ...(id === undefined || id === node.id ? {} : { id }),
      ...(rest === undefined ? {} : { content: rest }),
      ...others,
    },
  };
}

function authorRole({ message }: KeptNode): unknown {
  return isJsonObject(message['author']) ? message['author']['role'] : undefined;
}

function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function withoutNull(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
