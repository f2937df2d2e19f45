/** Rows of the database as the context library's plain values. */
import type { BranchData, ChatData, CheckpointData, GraphNode, MessageData } from '@parley/context';
import { MESSAGE_FIELDS } from '@parley/context/server';
import type { Branch, Chat, Checkpoint, Message, GraphRow } from '../../conversation/model.js';
import { pickColumns } from '../../conversation/tables.js';

export function toChatData({ id, userId, title, metadata, createdAt, updatedAt }: Chat): ChatData {
  return { id, userId, title, metadata: JSON.parse(metadata) as Record<string, unknown>, createdAt, updatedAt };
}

export function toMessageData(message: Message): MessageData {
  return { ...pickColumns(message, MESSAGE_FIELDS), data: JSON.parse(message.data) } satisfies Required<MessageData>;
}

export function toBranchData(branch: Branch): BranchData {
  const { id, chatId, name, headMessageId, isActive, messageCount, createdAt } = branch;
  return { id, chatId, name, headMessageId, isActive, messageCount, createdAt };
}

export function toCheckpointData({ id, chatId, name, messageId, createdAt }: Checkpoint): CheckpointData {
  return { id, chatId, name, messageId, createdAt };
}

export function toGraphNode(
  { id, parentId, name, preview, createdAt, seq }: GraphRow,
  sources: ReadonlyMap<number, readonly string[]>,
): GraphNode {
  const sourceIds = sources.get(seq);
  return { id, parentId, role: name, content: preview, createdAt, ...(sourceIds && { sourceIds }) };
}
