/** Conversations of Claude: the bulk export, with or without parents, and what its API answers for one. */
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { MessagePart, NodeContent, SourceConversation } from '../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { dataPart, filePart, textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { roleOf } from '../shared/chat-message.js';
import { anyToMs } from '../shared/times.js';

const SITE = 'https://claude.ai';

export const claude: ValueReader = {
  name: 'claude',
  label: 'Claude',
  claims: (value) => Array.isArray(value['chat_messages']),
  read: (value) => [readConversation(value)],
};

function readConversation(conversation: JsonObject): SourceConversation {
  const { uuid, name, created_at, updated_at, chat_messages, current_leaf_message_uuid, ...original } = conversation;
  const id = idOf(uuid);
  if (id === null) throw new UnreadableError('the conversation has no uuid');
  const messages = arrayOf(chat_messages);
  const isTree = messages.some((message) => 'parent_message_uuid' in objectOf(message));
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const value of messages) {
    const { uuid: messageId, created_at: createdAt, parent_message_uuid: parent } = objectOf(value);
    previous = graph.add({
      id: messageId,
      parent: isTree ? parent : previous,
      createdAt: anyToMs(createdAt),
      content: () => contentOf(objectOf(value)),
    });
  }
  return foundConversation({
    source: 'claude',
    id,
    title: name,
    createTime: created_at,
    updateTime: updated_at,
    graph,
    active: current_leaf_message_uuid,
    activeMember: current_leaf_message_uuid === undefined ? null : 'current_leaf_message_uuid',
    details: { model: conversation['model'], project: objectOf(conversation['project'])['name'] },
    original,
  });
}

function contentOf(message: JsonObject): NodeContent {
  const { text, content, sender, created_at: createTime, attachments } = message;
  const blocks = blockParts(content);
  const files = arrayOf(message['files_v2']).length > 0 ? message['files_v2'] : message['files'];
  return {
    role: roleOf(sender),
    parts: [
      // The text repeats what the blocks say, with notes for what it cannot show.
      ...(blocks.length > 0 ? blocks : textParts(text)),
      ...arrayOf(attachments).flatMap(attachmentParts),
      ...arrayOf(files).map(fileOf),
    ],
    createTime,
    original: without(message, 'uuid', 'parent_message_uuid', ...(text === '' || text === null ? ['text'] : [])),
    said: [content ?? null, text ?? null],
  };
}

/** What was read out of a file that came with the message. */
function attachmentParts(attachment: unknown): MessagePart[] {
  const { extracted_content: content, ...others } = objectOf(attachment);
  const text = textOf(content);
  return [...textParts(text), dataPart('attachment', text === null ? attachment : others)];
}

function fileOf(file: unknown): MessagePart {
  const { preview_url, thumbnail_url, file_name, file_kind } = objectOf(file);
  const url = textOf(preview_url) ?? textOf(thumbnail_url);
  if (url === null) return dataPart('file', file);
  return filePart(url.startsWith('/') ? SITE + url : url, file_kind === 'image' ? 'image/*' : null, file_name);
}
