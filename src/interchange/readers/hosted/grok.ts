/** Conversations of Grok: the export of its account page, of 2025 and of 2026, and what its API answers for one. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { MessagePart, NodeContent, SourceConversation } from '../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { dataPart, filePart, isText, reasoningParts, sourceParts, textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const grok: ValueReader = {
  name: 'grok',
  label: 'Grok',
  claims: (value) =>
    Array.isArray(value['responses']) && (isJsonObject(value['conversation']) || 'conversationId' in value),
  read: (value) => [readConversation(value)],
};

function readConversation(value: JsonObject): SourceConversation {
  const { responses, conversation: inner, ...outer } = value;
  const about = isJsonObject(inner) ? inner : outer;
  const id = idOf(about['conversation_id'], about['conversationId'], about['id'], about['_id']);
  if (id === null) throw new UnreadableError('the conversation has no id');
  const list = arrayOf(responses).map((each) => objectOf(objectOf(each)['response'] ?? each));
  const isTree = list.some((response) => parentOf(response) !== null);
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const response of list) {
    previous = graph.add({
      id: idOf(response['response_id'], response['responseId'], response['_id']),
      parent: isTree ? parentOf(response) : previous,
      createdAt: anyToMs(timeOf(response['create_time'] ?? response['createTime'])),
      content: () => contentOf(response),
    });
  }
  const active = idOf(about['leaf_response_id'], about['leafResponseId']);
  return foundConversation({
    source: 'grok',
    id,
    title: about['title'],
    createTime: timeOf(about['create_time'] ?? about['createTime']),
    updateTime: timeOf(about['modify_time'] ?? about['modifyTime']),
    graph,
    active,
    activeMember: active === null ? null : 'leaf_response_id',
    original: isJsonObject(inner) ? { ...outer, ...inner } : about,
  });
}

function parentOf(response: JsonObject): string | null {
  return idOf(response['parent_response_id'], response['parentResponseId']);
}

/** Of the database from which it is exported: {"$date": {"$numberLong": "1750534101177"}}. */
function timeOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const date = value['$date'];
  const number = objectOf(date)['$numberLong'];
  return typeof number === 'string' && /^\d+$/.test(number) ? Number(number) : date;
}

function contentOf(response: JsonObject): NodeContent {
  const { message, sender, thinking_trace, thinkingTrace } = response;
  const found = [
    ...arrayOf(response['cited_web_search_results'] ?? response['citedWebSearchResults']),
    ...arrayOf(response['web_search_results'] ?? response['webSearchResults']),
  ];
  const pages = new Map(found.map((page) => [objectOf(page)['url'], objectOf(page)['title']]));
  const images = arrayOf(response['generated_image_urls'] ?? response['generatedImageUrls']).map(textOf);
  const parts = textParts(message);
  return {
    role: roleOf(sender),
    parts: [
      ...reasoningParts(thinking_trace ?? thinkingTrace),
      ...parts,
      ...images.flatMap((url): MessagePart[] => (url === null ? [] : [filePart(url, 'image/*')])),
      ...attachments(response).map((each) => dataPart('attachment', each)),
      ...[...pages].flatMap(([url, title]) => sourceParts(url, title)),
    ],
    // The ids of files that lie in its zip.
    attached: attachments(response).flatMap((id) => (isText(id) ? [filePart(id, null)] : [])),
    createTime: timeOf(response['create_time'] ?? response['createTime']),
    original: without(response, 'parent_response_id', 'parentResponseId', ...(parts.length > 0 ? ['message'] : [])),
    said: [message ?? null, thinking_trace ?? thinkingTrace ?? null],
  };
}

function attachments(response: JsonObject): unknown[] {
  return ['image_attachments', 'file_attachments', 'imageAttachments', 'fileAttachments'].flatMap((name) => [
    ...arrayOf(response[name]),
  ]);
}
