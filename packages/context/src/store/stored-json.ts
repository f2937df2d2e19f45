/** Checks of values that a store saves: every store accepts and refuses the same. */
import { invalid } from '../errors.js';
import { toJsonValue } from '../messages/json-value.js';
import { isRecord } from '../record.js';
import { checkCount, MAX_INT } from '../counts.js';
import type { FollowDraftOptions, NewDraftData } from './draft-data.js';
import { checkKnown } from './known-fields.js';
import {
  NEW_MESSAGE_FIELDS,
  type ChatUpdates,
  type NewBranchData,
  type NewChatData,
  type NewCheckpointData,
  type NewMessageData,
  type SaveOptions,
} from './store-data.js';

/**
 * A value as JSON stores it; undefined stays undefined.
 * @throws ContextError for a value that cannot be stored
 */
export function toStoredJson(value: unknown, path: string): unknown {
  if (value === undefined) return undefined;
  try {
    return toJsonValue(value);
  } catch (error) {
    throw invalid(`${path} cannot be stored: ${(error as TypeError).message}`, path);
  }
}

/** Messages as `toStoredJson` stores them, each with either text or data. */
export function toStoredMessages(messages: readonly NewMessageData[]): NewMessageData[] {
  return messages.map((message, index) => {
    const path = `messages.${index}`;
    const { lazyId, content, ...fields } = checkKnown(message, NEW_MESSAGE_FIELDS, path);
    // Arguments are unchecked when called from JavaScript.
    if (lazyId != null && (lazyId as string) !== 'LAST_ASSISTANT') {
      throw invalid(`${path}.lazyId must be LAST_ASSISTANT, not ${String(lazyId)}`, `${path}.lazyId`);
    }
    if (fields.sourceIds !== undefined && !Array.isArray(fields.sourceIds)) {
      throw invalid(`${path}.sourceIds must be an array`, `${path}.sourceIds`);
    }
    return { ...fields, ...(lazyId != null && { lazyId }), content: toStoredContent(content, `${path}.content`) };
  });
}

/** The content of a message, with either text or data. */
export function toStoredContent(content: unknown, path: string): NewMessageData['content'] {
  const given: { text?: unknown; data?: unknown } = isRecord(content) ? content : {};
  const { text, data } = checkKnown(given, ['text', 'data'], path);
  if ((text == null) === (data == null)) {
    throw invalid(`${path} must have exactly one of text and data, and not null`, path);
  }
  if (text == null) return { data: toStoredJson(data, `${path}.data`) };
  if (typeof text !== 'string') throw invalid(`${path}.text must be a text`, `${path}.text`);
  return { text };
}

/** The options of a save. */
export function toSaveOptions(options: SaveOptions): SaveOptions {
  const names = ['branch', 'expectedHeadId', 'onConflict', 'createChat'] as const;
  const { branch, expectedHeadId, onConflict, createChat } = checkKnown(options, names);
  checkPolicy(onConflict);
  return {
    ...(branch !== undefined && { branch }),
    ...(expectedHeadId !== undefined && { expectedHeadId }),
    ...(onConflict !== undefined && { onConflict }),
    ...(createChat !== undefined && { createChat: toStoredNewChat(createChat) }),
  };
}

function checkPolicy(onConflict: SaveOptions['onConflict']): void {
  if (onConflict !== undefined && !['REJECT', 'FORK', 'APPEND'].includes(onConflict)) {
    throw invalid(`onConflict must be REJECT, FORK or APPEND, not ${String(onConflict)}`, 'onConflict');
  }
}

/** A new draft. */
export function toStoredDraft(draft: NewDraftData): NewDraftData {
  const names = [
    'id',
    'branch',
    'parentId',
    'expectedHeadId',
    'onConflict',
    'name',
    'idleTimeout',
    'metadata',
  ] as const;
  const given = checkKnown(draft, names);
  checkPolicy(given.onConflict);
  if (given.parentId !== undefined && given.expectedHeadId !== undefined) {
    throw invalid('parentId cannot be given together with expectedHeadId', 'parentId');
  }
  return { ...given, metadata: toStoredJson(given.metadata, 'metadata') };
}

/** The chunks of an append. */
export function toStoredChunks(chunks: readonly unknown[]): unknown[] {
  if (!Array.isArray(chunks)) throw invalid('chunks must be an array', 'chunks');
  return chunks.map((chunk, n) => toStoredJson(chunk ?? null, `chunks.${n}`));
}

/** The options of following a draft. */
export function toFollowing(options: FollowDraftOptions): { after: number; signal?: AbortSignal; withChunks: boolean } {
  const { after = 0, signal, withChunks = true } = checkKnown(options, ['after', 'signal', 'withChunks']);
  return { after: checkCount(after, 'after', 0, MAX_INT), ...(signal && { signal }), withChunks };
}

/** A new chat. */
export function toStoredChat(chat: NewChatData): NewChatData {
  const { id, userId, title, metadata } = checkKnown(chat, ['id', 'userId', 'title', 'metadata']);
  return { id, userId, ...toStoredUpdates({ title, metadata }) } as NewChatData;
}

/** A chat that a save creates if it is missing. */
function toStoredNewChat(chat: Omit<NewChatData, 'id'>): Omit<NewChatData, 'id'> {
  const { userId, title, metadata } = checkKnown(chat, ['userId', 'title', 'metadata'], 'createChat');
  const stored = toStoredJson(metadata, 'createChat.metadata') as NewChatData['metadata'];
  return { userId, ...(title !== undefined && { title }), ...(stored && { metadata: stored }) };
}

/** The changes of a chat. */
export function toStoredUpdates(changes: ChatUpdates): ChatUpdates {
  const { title, ...given } = checkKnown(changes, ['title', 'metadata', 'metadataPatch']);
  const updates: ChatUpdates = title === undefined ? {} : { title };
  for (const name of ['metadata', 'metadataPatch'] as const) {
    if (given[name] !== undefined) updates[name] = toStoredJson(given[name], name) as Record<string, unknown>;
  }
  return updates;
}

/** A new checkpoint. */
export function toStoredCheckpoint(checkpoint: NewCheckpointData): NewCheckpointData {
  const { chatId, name, messageId } = checkKnown(checkpoint, ['chatId', 'name', 'messageId']);
  return { chatId, name, messageId };
}

/** A new branch. */
export function toStoredBranch(branch: NewBranchData): NewBranchData {
  const { headMessageId } = checkKnown(branch, ['chatId', 'headMessageId', 'name', 'isActive']);
  // An omitted head must not start an empty branch.
  if ((headMessageId as unknown) === undefined) {
    throw invalid('headMessageId must be given; null makes a branch without messages', 'headMessageId');
  }
  return branch;
}
