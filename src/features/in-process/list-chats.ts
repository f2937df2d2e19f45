import type { ListChatsOptions } from '@parley/context';
import { invalid, checkCount, toStoredJson } from '@parley/context/server';
import { checkMetadata, checkName } from '../../conversation/bounds.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import { WHOLE_LIST } from '../../conversation/paging.js';
import type { ConversationReads } from '../../conversation/reads.js';

/** Chats of a list, newest update first. */
export async function listChats(
  reads: ConversationReads,
  viewer: Viewer,
  { userId, includeShared = false, metadata, limit, offset = 0 }: ListChatsOptions,
): Promise<Chat[]> {
  const first = checkCount(offset, 'offset', 0) + (limit === undefined ? Infinity : checkCount(limit, 'limit', 0));
  if (userId !== undefined && userId !== viewer.userId && !viewer.isAdmin) {
    throw invalid("userId: only an admin may list another user's chats", 'userId');
  }
  const filter = {
    chatId: onlyChatOf(viewer),
    includeShared,
    userId: userId === undefined ? (viewer.isAdmin ? null : viewer.userId) : checkName(userId, 'userId'),
    metadata: metadata === undefined ? [] : [readMetadata(metadata)],
  };
  const { rows } = await reads.chatPage(filter, { ...WHOLE_LIST, first: Number.isFinite(first) ? first : null });
  return rows.slice(offset);
}

function readMetadata({ key, value }: NonNullable<ListChatsOptions['metadata']>): { key: string; equals: string } {
  checkMetadata(key, 'metadata.key');
  return { key, equals: checkMetadata(toStoredJson(value, 'metadata.value'), 'metadata.value') };
}
