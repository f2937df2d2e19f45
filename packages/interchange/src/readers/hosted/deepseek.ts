/** Conversations of DeepSeek: of 2025 with a content, of 2026 with fragments. Messages have no role. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import { isDeepSeekMessage, someMessages } from '../chatgpt/chatgpt.js';
import { arrayOf, idOf, objectOf, textOf, withoutNull, anyToMs } from '../shared/members.js';
import { dataPart, reasoningParts, sourceParts, textParts } from '../shared/parts.js';
import type { ValueReader, MessagePart, NodeContent, Role, FoundSource } from '../../source-conversation.js';
import { SourceGraph } from '../shared/source-graph.js';

export const deepSeek: ValueReader = {
  name: 'deepseek',
  label: 'DeepSeek',
  claims: (value) =>
    isJsonObject(value['mapping']) &&
    ('inserted_at' in value || someMessages(value['mapping']).some(isDeepSeekMessage)),
  read: (value) => [readConversation(value)],
};

function readConversation(conversation: JsonObject): FoundSource {
  const { id, title, inserted_at: createTime, updated_at: updateTime, mapping, ...original } = conversation;
  const conversationId = idOf(id);
  if (conversationId === null) throw new UnreadableError('the conversation has no id');
  const nodes = objectOf(mapping);
  const graph = new SourceGraph();
  const roles = new Map<string, Role>();
  for (const nodeId of Object.keys(nodes)) {
    const node = objectOf(nodes[nodeId]);
    const message = isJsonObject(node['message']) ? node['message'] : null;
    graph.add({
      id: nodeId,
      parent: node['parent'],
      children: node['children'],
      isKept: message !== null,
      createdAt: anyToMs(message?.['inserted_at']),
      content: () => contentOf(objectOf(objectOf(nodes[nodeId])['message']), roles.get(nodeId) ?? 'assistant'),
    });
  }
  const arranged = graph.arranged(conversation['current_message_id'], null);
  // Without fragments the position gives the role: questions and answers alternate.
  for (const { id: nodeId, parentId } of arranged.nodes) {
    const role = roleOf(objectOf(objectOf(nodes[nodeId])['message']));
    roles.set(nodeId, role ?? (parentId !== null && roles.get(parentId) === 'user' ? 'assistant' : 'user'));
  }
  return {
    source: 'deepseek',
    conversationId,
    title: textOf(title),
    createdAt: anyToMs(createTime),
    updatedAt: anyToMs(updateTime),
    createTime,
    updateTime,
    ...arranged,
    details: {},
    original: withoutNull(original),
    warnings: graph.warnings,
  };
}

function roleOf(message: JsonObject): Role | null {
  const types = arrayOf(message['fragments']).map((fragment) => objectOf(fragment)['type']);
  if (types.length > 0) return types.includes('REQUEST') || types.includes('FILE') ? 'user' : 'assistant';
  const role = textOf(message['role'])?.toLowerCase();
  if (role === 'user' || role === 'assistant' || role === 'system') return role;
  return textOf(message['reasoning_content']) !== null ? 'assistant' : null;
}

function contentOf(message: JsonObject, role: Role): NodeContent {
  const { inserted_at: createTime, ...original } = message;
  const fragments = message['fragments'];
  const parts = Array.isArray(fragments)
    ? fragments.flatMap(partsOf)
    : [...reasoningParts(message['reasoning_content']), ...textParts(message['content'])];
  const found = arrayOf(message['search_results']);
  return {
    role,
    parts: [
      ...parts,
      ...arrayOf(message['files']).map((file) => dataPart('file', file)),
      ...found.flatMap((page) => pageParts(page)),
    ],
    createTime,
    original,
    fingerprinted: fragments ?? [message['reasoning_content'] ?? null, message['content'] ?? null],
  };
}

function partsOf(fragment: unknown): MessagePart[] {
  const { type, content, results, result } = objectOf(fragment);
  if (type === 'REQUEST' || type === 'RESPONSE' || type === 'TEMPLATE_RESPONSE') return textParts(content);
  if (type === 'THINK') return reasoningParts(content);
  const pages = [...arrayOf(results), result].flatMap(pageParts);
  const foundParts = type === 'SEARCH' || type === 'READ_LINK' ? [...textParts(content), ...pages] : [];
  if (foundParts.length > 0) return foundParts;
  // Fragments of tools, files, and unknown types.
  const name = typeof type === 'string' ? type.toLowerCase() : 'fragment';
  return [dataPart(name, fragment), ...pages];
}

function pageParts(page: unknown): MessagePart[] {
  const { url, title } = objectOf(page);
  return sourceParts(url, title);
}
