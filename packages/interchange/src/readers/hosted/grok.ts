/** Conversations of Grok: the account export of 2025 and 2026, and its API's response for one conversation. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { FoundSource } from '../../source-conversation.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';
import { grokContent } from './grok-message.js';

export const grok: ValueReader = {
  name: 'grok',
  label: 'Grok',
  claims: (value) =>
    Array.isArray(value['responses']) && (isJsonObject(value['conversation']) || 'conversationId' in value),
  read: (value) => [readConversation(value)],
};

function readConversation(value: JsonObject): FoundSource {
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
      createdAt: anyToMs(createTimeOf(response)),
      content: () => grokContent(response, createTimeOf(response)),
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

function createTimeOf(response: JsonObject): unknown {
  return timeOf(response['create_time'] ?? response['createTime']);
}

/** A time in the database's export format: {"$date": {"$numberLong": "1750534101177"}}. */
function timeOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const date = value['$date'];
  const number = objectOf(date)['$numberLong'];
  return typeof number === 'string' && /^\d+$/.test(number) ? Number(number) : date;
}
