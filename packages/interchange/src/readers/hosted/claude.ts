/**
 * Conversations of Claude: the bulk export with or without parents, design chats, and its API's response for one
 * conversation.
 */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { attachedFiles, dataPart, filePart, textParts } from '../shared/parts.js';
import { roleOf } from '../shared/chat-message.js';

const SITE = 'https://claude.ai';

export const claude: ValueReader = {
  name: 'claude',
  label: 'Claude',
  // DeepSeek's API has the same member.
  claims: (value) => (Array.isArray(value['chat_messages']) && !('chat_session' in value)) || isDesignChat(value),
  read: (value) => [readConversation(value)],
};

/** Design chats in the folder `design_chats`: the content of a message is a message object. */
export function isDesignChat(value: JsonObject): boolean {
  if (!('uuid' in value) || !Array.isArray(value['messages'])) return false;
  const [first] = value['messages'] as unknown[];
  if (first === undefined) return 'project' in value;
  return isJsonObject(first) && 'uuid' in first && isJsonObject(first['content']);
}

function readConversation(conversation: JsonObject): FoundSource {
  const { uuid, name, title, created_at, updated_at, chat_messages, messages: others, ...rest } = conversation;
  const { current_leaf_message_uuid, ...original } = rest;
  const id = idOf(uuid);
  if (id === null) throw new UnreadableError('the conversation has no uuid');
  const messages = arrayOf(chat_messages ?? others);
  const isTree = messages.some((message) => 'parent_message_uuid' in objectOf(message));
  const graph = new SourceGraph();
  for (const value of messages) {
    const { uuid: messageId, created_at: createdAt, parent_message_uuid: parent } = objectOf(value);
    graph.add({
      id: messageId,
      parent: isTree ? parent : graph.last,
      createdAt: anyToMs(createdAt),
      content: () => (chat_messages === undefined ? designContent(objectOf(value)) : contentOf(objectOf(value))),
    });
  }
  return foundConversation({
    source: 'claude',
    id,
    title: name ?? title,
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
      // The text repeats the blocks, with notes for unsupported ones.
      ...(blocks.length > 0 ? blocks : textParts(text)),
      ...arrayOf(attachments).flatMap(attachmentParts),
      ...arrayOf(files).map(fileOf),
    ],
    attached: attachedFiles([...arrayOf(files), ...blockFiles(content)].map(pointedFile)),
    createTime,
    original: without(message, 'uuid', 'parent_message_uuid', ...(text === '' || text === null ? ['text'] : [])),
    fingerprinted: [content ?? null, text ?? null],
  };
}

/** Images in blocks and in results of tools, which name a file. */
function blockFiles(content: unknown): JsonObject[] {
  const blocks = arrayOf(content).flatMap((block) => [block, ...arrayOf(objectOf(block)['content'])]);
  return blocks.map(objectOf).filter((block) => 'file_uuid' in block);
}

function pointedFile(file: unknown) {
  const { file_uuid, uuid, file_name, file_kind } = objectOf(file);
  const mediaType = file_kind === 'image' ? 'image/*' : null;
  return { pointers: [file_uuid, uuid, file_name], mediaType, filename: file_name };
}

function designContent(message: JsonObject): NodeContent {
  const { role, content, created_at: createTime } = message;
  const inner = objectOf(content);
  const { content: text, contentBlocks, attachments, kind } = inner;
  const blocks = arrayOf(contentBlocks).map((block) => {
    const { toolCall, ...others } = objectOf(block);
    return toolCall === undefined ? block : { ...others, tool_call: toolCall };
  });
  const ownParts = blocks.length > 0 ? blockParts(blocks) : textParts(text);
  const parts = [...ownParts, ...arrayOf(attachments).flatMap(attachmentParts)];
  return {
    role: roleOf(role),
    parts: parts.length > 0 ? parts : [dataPart(textOf(kind) ?? 'message', inner)],
    createTime,
    original: without(message, 'uuid', 'role'),
    fingerprinted: content,
  };
}

/** The text that Claude extracted from an attached file. */
function attachmentParts(attachment: unknown): MessagePart[] {
  const { extracted_content: extracted, content, ...others } = objectOf(attachment);
  const text = textOf(extracted) ?? textOf(content);
  return [...textParts(text), dataPart('attachment', text === null ? attachment : others)];
}

function fileOf(file: unknown): MessagePart {
  const { preview_url, thumbnail_url, file_name, file_kind } = objectOf(file);
  const url = textOf(preview_url) ?? textOf(thumbnail_url);
  if (url === null) return dataPart('file', file);
  return filePart(url.startsWith('/') ? SITE + url : url, file_kind === 'image' ? 'image/*' : null, file_name);
}
