/** Conversations of llama.cpp's web UI: the object of 2025 with `conv` and `messages`, and the lines of 2026. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, anyToMs } from '../shared/members.js';
import { dataPart, filePart } from '../shared/parts.js';

/** Members that the graph carries. */
const LINKED = ['id', 'convId', 'parent', 'children'];

export const llamaCpp: ValueReader = {
  name: 'llama-cpp',
  label: 'llama.cpp',
  claims: (value) => isJsonObject(value['conv']) && Array.isArray(value['messages']),
  read: (value) => [readConversation(objectOf(value['conv']), arrayOf(value['messages']))],
};

export const llamaCppLines: LinesReader = {
  name: 'llama-cpp-lines',
  label: 'llama.cpp (lines)',
  claims: (value) => isSession(value) || isMessage(value),
  continues: isMessage,
  keyOf: (value) => idOf(isSession(value) ? value['id'] : objectOf(value['message'])['convId']),
  readAll(lines) {
    const messages = lines.filter(isMessage).map((line) => objectOf(line['message']));
    const { type: _, harness: __, ...conv } = lines.find(isSession) ?? { id: messages[0]?.['convId'] };
    return [readConversation(conv, messages)];
  },
};

function isSession(value: JsonObject): boolean {
  return value['type'] === 'session' && value['harness'] === 'llama.app';
}

function isMessage(value: JsonObject): boolean {
  return value['type'] === 'message' && 'convId' in objectOf(value['message']);
}

function readConversation(conv: JsonObject, messages: readonly unknown[]): FoundSource {
  const { id, name, lastModified, currNode, ...original } = conv;
  const conversationId = idOf(id);
  if (conversationId === null) throw new UnreadableError('the conversation has no id');
  const graph = new SourceGraph();
  const calls = new Calls();
  for (const value of messages) {
    const message = objectOf(value);
    calls.note(callsOf(withCalls(message), null));
    graph.add({
      id: message['id'],
      parent: message['parent'],
      children: message['children'],
      // The root is an empty node above the first messages.
      isKept: message['type'] !== 'root',
      createdAt: anyToMs(message['timestamp']),
      content: () => contentOf(message, calls),
    });
  }
  return foundConversation({
    source: 'llama-cpp',
    id: conversationId,
    title: name,
    updateTime: lastModified,
    graph,
    active: currNode,
    activeMember: 'currNode',
    original,
  });
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, content, timestamp, extra } = message;
  const others = arrayOf(extra).map(attachmentPart);
  const known = withCalls(message);
  return chatContent({ message: known, role, content, createTime: timestamp, others }, LINKED, calls.above);
}

/** An attachment: images have addresses; sound, video and documents are base64 with a type; others are text. */
function attachmentPart(extra: unknown): MessagePart {
  const { type, name, base64Url, base64Data, mimeType } = objectOf(extra);
  const url = textOf(base64Url);
  if (url !== null) return filePart(url, 'image/*', name);
  const isDocument = typeof type === 'string' && /^pdf/i.test(type);
  const mediaType = textOf(mimeType) ?? (isDocument ? 'application/pdf' : 'application/octet-stream');
  const data = textOf(base64Data);
  return data === null ? dataPart('extra', extra) : filePart(`data:${mediaType};base64,${data}`, mediaType, name);
}

/** Calls are text in some files. */
function withCalls(message: JsonObject): JsonObject {
  const { toolCalls } = message;
  if (typeof toolCalls !== 'string' || toolCalls === '') return message;
  try {
    return { ...message, toolCalls: JSON.parse(toolCalls) as unknown };
  } catch {
    return message;
  }
}
