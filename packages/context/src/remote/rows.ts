/** The rows of operations as the library's plain values. */
import type { DraftData, DraftUpdate } from '../store/draft-data.js';
import type { BranchData, ChatData, CheckpointData, GraphNode, MessageData } from '../store/store-data.js';

export type ChatRow = Omit<ChatData, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string };
export type MessageRow = Omit<MessageData, 'chatId' | 'createdAt'> & { createdAt: string };
export type GraphNodeRow = Omit<GraphNode, 'createdAt'> & { createdAt: string };

export interface BranchRow {
  id: string;
  name: string;
  head: { id: string } | null;
  isActive: boolean;
  messageCount: number;
  createdAt: string;
}

export interface CheckpointRow {
  id: string;
  name: string;
  message: { id: string };
  createdAt: string;
}

export function toChatData(row: ChatRow): ChatData {
  return { ...row, createdAt: Date.parse(row.createdAt), updatedAt: Date.parse(row.updatedAt) };
}

export function toMessageData(row: MessageRow, chatId: string): MessageData {
  return { ...row, chatId, createdAt: Date.parse(row.createdAt) };
}

export function toBranchData(row: BranchRow, chatId: string): BranchData {
  const { id, name, head, isActive, messageCount, createdAt } = row;
  return {
    id,
    chatId,
    name,
    headMessageId: head?.id ?? null,
    isActive,
    messageCount,
    createdAt: Date.parse(createdAt),
  };
}

export function toCheckpointData({ id, name, message, createdAt }: CheckpointRow, chatId: string): CheckpointData {
  return { id, chatId, name, messageId: message.id, createdAt: Date.parse(createdAt) };
}

export function toGraphNode({ createdAt, sourceIds = [], ...node }: GraphNodeRow): GraphNode {
  return { ...node, createdAt: Date.parse(createdAt), ...(sourceIds.length > 0 && { sourceIds }) };
}

export type DraftRow = Omit<DraftData, 'chatId' | 'parentId' | 'startedAt' | 'updatedAt'> & {
  parent: { id: string } | null;
  startedAt: string;
  updatedAt: string;
};

export type DraftUpdateRow =
  | { __typename: 'DraftChunks'; offset: number; length: number; chunks?: unknown[] }
  | { __typename: 'DraftStopping'; requestedBy: string }
  | { __typename: 'DraftAbandoned'; length: number }
  | { __typename: 'DraftFinished'; message: MessageRow; branch: BranchRow }
  | { __typename: 'DraftDiscarded' };

export function toDraftData({ parent, startedAt, updatedAt, ...draft }: DraftRow, chatId: string): DraftData {
  const times = { startedAt: Date.parse(startedAt), updatedAt: Date.parse(updatedAt) };
  return { ...draft, chatId, parentId: parent?.id ?? null, ...times };
}

export function toDraftUpdate(row: DraftUpdateRow, chatId: string): DraftUpdate {
  switch (row.__typename) {
    case 'DraftChunks':
      return { type: 'chunks', offset: row.offset, length: row.length, chunks: row.chunks ?? [] };
    case 'DraftStopping':
      return { type: 'stopping', requestedBy: row.requestedBy };
    case 'DraftAbandoned':
      return { type: 'abandoned', length: row.length };
    case 'DraftFinished':
      return {
        type: 'finished',
        message: toMessageData(row.message, chatId),
        branch: toBranchData(row.branch, chatId),
      };
    case 'DraftDiscarded':
      return { type: 'discarded' };
  }
}
