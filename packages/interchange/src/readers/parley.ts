/** Parley's own format as a tree of messages. The server reads it as chats with branches and a log instead. */
import { UnreadableError, type JsonObject } from '../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../source-conversation.js';
import { chatContent, contentOf } from './shared/chat-message.js';
import { foundConversation, SourceGraph } from './shared/source-graph.js';
import { idOf, objectOf, textOf, without, isoToMs } from './shared/members.js';
import { textParts } from './shared/parts.js';

const LINES = ['message', 'branch', 'checkpoint', 'event', 'end', 'incomplete'];

export const parley: LinesReader = {
  name: 'parley',
  label: 'Parley',
  claims: (value) => 'parley' in value && 'chat' in value,
  continues: (value, first) => first !== null && !('parley' in value) && LINES.some((name) => name in value),
  readAll: (values) => [readChat(values)],
};

function readChat(lines: readonly JsonObject[]): FoundSource {
  const chat = objectOf(lines[0]?.['chat']);
  const id = idOf(chat['id']);
  if (id === null) throw new UnreadableError('nothing identifies the conversation');
  if (lines.every((line) => !('end' in line))) throw new UnreadableError('its export was ended before its end');
  const graph = new SourceGraph();
  let active: unknown;
  for (const line of lines) {
    const branch = objectOf(line['branch']);
    if (branch['isActive'] === true) active = branch['headId'];
    if (!('message' in line)) continue;
    const { id, parentId, createdAt } = objectOf(line['message']);
    graph.add({ id, parent: parentId, createdAt: isoToMs(createdAt), content: () => contentIn(line) });
  }
  const { title, createdAt: createTime, updatedAt: updateTime } = chat;
  const original = without(chat, 'id', 'title', 'createdAt', 'updatedAt');
  return foundConversation({ source: parley.name, id, title, createTime, updateTime, graph, active, original });
}

function contentIn(line: JsonObject): NodeContent {
  const { name, data, createdAt } = objectOf(line['message']);
  const message = objectOf(data);
  const role = textOf(message['role']) ?? name;
  const content = chatContent({ message, role, content: contentOf(message), createTime: createdAt }, ['id']);
  return typeof data === 'string' ? { ...content, parts: textParts(data) } : content;
}
