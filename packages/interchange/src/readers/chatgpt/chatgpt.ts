/** Conversations in ChatGPT's conversations.json, from 2023 to today. */
import { validate as isUuid } from 'uuid';
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import { idOf, objectOf, textOf, withoutNull, anyToMs, secondsToMs } from '../shared/members.js';
import type { ValueReader, Role, FoundSource } from '../../source-conversation.js';
import { SourceGraph } from '../shared/source-graph.js';
import { messageContent, type MessageAt } from './message.js';

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'assistant'],
  ['function', 'assistant'],
]);
/** Messages that are checked to detect the format. */
const MAX_SAMPLED_MESSAGES = 20;
/** Messages between a call and its result, such as results of other calls. */
const CALL_DISTANCE = 10;

/** The other formats with a `mapping` have none of these. */
export const chatGpt: ValueReader = {
  name: 'chatgpt',
  label: 'ChatGPT',
  claims(value) {
    if (!isJsonObject(value['mapping'])) return false;
    if ('current_node' in value || 'conversation_id' in value || 'create_time' in value) return true;
    const messages = someMessages(value['mapping']);
    return messages.length === 0 ? !('inserted_at' in value) : messages.some((message) => !isDeepSeekMessage(message));
  },
  read: (value) => [readConversation(value)],
};

/** DeepSeek's messages have no author: their fragments or their position give the role. */
export function isDeepSeekMessage(message: JsonObject): boolean {
  return Array.isArray(message['fragments']) || (!('author' in message) && 'inserted_at' in message);
}

export function someMessages(mapping: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  const nodes = objectOf(mapping);
  for (const id in nodes) {
    const message = objectOf(nodes[id])['message'];
    if (isJsonObject(message)) found.push(message);
    if (found.length === MAX_SAMPLED_MESSAGES) break;
  }
  return found;
}

function readConversation(conversation: JsonObject): FoundSource {
  const {
    mapping,
    title,
    create_time,
    update_time,
    current_node,
    conversation_id: _,
    id: __,
    ...others
  } = conversation;
  const { default_model_slug: model, ...original } = others;
  const nodes = objectOf(mapping);
  const messageAt: MessageAt = (id) => objectOf(objectOf(nodes[id])['message']);
  const graph = new SourceGraph();
  let unknownRoles = 0;
  let first: string | null = null;
  for (const id of Object.keys(nodes)) {
    const node = objectOf(nodes[id]);
    const message = node['message'] ?? null;
    if (message !== null && !isJsonObject(message)) throw new UnreadableError(`Message ${id} is not an object`);
    if (message !== null && !ROLES.has(authorRole(message))) unknownRoles++;
    graph.add({
      id,
      parent: node['parent'],
      children: node['children'],
      isKept: message !== null,
      createdAt: secondsToMs(message?.['create_time']),
      content: () => contentOf(id),
    });
  }
  const parents = new Map<string, string | null>();
  const contentOf = (id: string) => {
    const message = messageAt(id);
    return messageContent(id, message, ROLES.get(authorRole(message)) ?? 'assistant', callAbove(id, message));
  };
  /** The nearest earlier message that calls the tool of this result. */
  const callAbove = (id: string, message: JsonObject): { id: string; message: JsonObject } | null => {
    const tool = textOf(objectOf(message['author'])['name']);
    let at = parents.get(id) ?? null;
    for (let n = 0; at !== null && n < CALL_DISTANCE; n++, at = parents.get(at) ?? null) {
      const above = messageAt(at);
      const role = authorRole(above);
      if (role === 'user') return null;
      const recipient = textOf(above['recipient']) ?? 'all';
      if (role === 'assistant' && recipient !== 'all' && (tool === null || isSameTool(recipient, tool))) {
        return { id: at, message: above };
      }
    }
    return null;
  };
  const arranged = graph.arranged(current_node, 'current_node');
  for (const { id, parentId } of arranged.nodes) parents.set(id, parentId);
  first = arranged.nodes[0]?.id ?? null;
  return {
    source: 'chatgpt',
    ...identify(conversation, first),
    title: typeof title === 'string' ? title : null,
    createdAt: anyToMs(create_time),
    updatedAt: anyToMs(update_time),
    createTime: create_time,
    updateTime: update_time,
    ...arranged,
    details: typeof model === 'string' ? { model } : {},
    original: withoutNull(original),
    warnings: [
      ...graph.warnings,
      ...(unknownRoles > 0 ? [`${unknownRoles} of its messages have no known role and became the assistant's`] : []),
    ],
  };
}

/** A call can name a function of the tool, while the result names the tool. */
function isSameTool(recipient: string, tool: string): boolean {
  return recipient === tool || recipient.split('.')[0] === tool.split('.')[0];
}

/**
 * The id, or values that are the same in every export: titles can change, the id of the first message and the creation
 * time cannot.
 */
function identify(conversation: JsonObject, first: string | null): Pick<FoundSource, 'conversationId' | 'formerId'> {
  const id = idOf(conversation['conversation_id'], conversation['id']);
  if (id !== null) return { conversationId: id };
  const { title, create_time: createTime } = conversation;
  if (anyToMs(createTime) !== null) return { conversationId: JSON.stringify(['created', createTime, first]) };
  if (first === null) throw new UnreadableError('Nothing identifies the conversation: it has no id and no messages');
  return { conversationId: null, formerId: JSON.stringify(isUuid(first) ? ['first', first] : ['title', title, first]) };
}

function authorRole(message: JsonObject): unknown {
  return objectOf(message['author'])['role'];
}
