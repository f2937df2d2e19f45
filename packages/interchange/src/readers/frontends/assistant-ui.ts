/** Threads of assistant-ui, as its runtime exports them: messages with parents, and the head. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { Calls, callsOf, chatContent, contentOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, anyToMs } from '../shared/members.js';
import { dataPart } from '../shared/parts.js';

export const assistantUi: ValueReader = {
  name: 'assistant-ui',
  label: 'assistant-ui',
  claims: ({ messages }) => {
    const first: unknown = Array.isArray(messages) ? messages[0] : null;
    return isJsonObject(first) && (('parentId' in first && isJsonObject(first['message'])) || isStored(first));
  },
  read: (value) => [readThread(value)],
};

/** A message as its cloud and its history adapters store it. */
function isStored(value: JsonObject): boolean {
  return 'parent_id' in value && 'format' in value && isJsonObject(value['content']);
}

function readThread(thread: JsonObject): FoundSource {
  const { headId, messages, id, title, ...original } = thread;
  const list = arrayOf(messages).map(objectOf);
  const graph = new SourceGraph();
  const calls = new Calls();
  // The cloud lists the newest first, and has no head.
  const isStore = list.some(isStored);
  const inOrder = isStore ? list.toSorted((a, b) => (createdAt(a) ?? 0) - (createdAt(b) ?? 0)) : list;
  for (const value of inOrder) {
    const message = isStore ? { id: value['id'], ...objectOf(value['content']) } : objectOf(value['message']);
    const createTime = message['createdAt'] ?? value['created_at'];
    const content = contentOf(message);
    calls.note(callsOf(message, content));
    graph.add({
      id: message['id'],
      parent: value['parentId'] ?? value['parent_id'],
      createdAt: anyToMs(createTime),
      content: () => {
        const others = arrayOf(message['attachments']).flatMap((each) => attachmentParts(objectOf(each)));
        // LangGraph's messages have a type instead of a role.
        const role = message['role'] ?? message['type'];
        return chatContent({ message, role, content, createTime, others }, ['id'], calls.above);
      },
    });
  }
  const first = graph.ids[0];
  const threadId = idOf(id, thread['threadId']);
  if (threadId === null && first === undefined) throw new UnreadableError('the thread has neither an id nor messages');
  return foundConversation({
    source: 'assistant-ui',
    id: threadId,
    formerId: JSON.stringify(['first', first]),
    title,
    graph,
    active: headId ?? (isStore ? graph.ids.at(-1) : undefined),
    activeMember: 'headId',
    original,
  });
}

function createdAt(stored: JsonObject): number | null {
  return anyToMs(stored['created_at']);
}

/** The content of a file, if the attachment has it. */
function attachmentParts(attachment: JsonObject): MessagePart[] {
  const { name, contentType, content } = attachment;
  const parts = arrayOf(content).flatMap((block) =>
    blockParts([{ filename: name, mimeType: contentType, ...objectOf(block) }]),
  );
  return parts.length > 0 ? parts : [dataPart('attachment', attachment)];
}
