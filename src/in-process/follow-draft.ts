import type { DraftUpdate } from '@parley/context';
import { draftNotFound, messageNotFound } from '@parley/context/server';
import { endedFeed, type DraftMark } from '../events/drafts/draft-feed.js';
import type { DraftFeeds } from '../events/drafts/draft-feeds.js';
import { DraftStream, type DraftUpdate as DraftChange } from '../events/drafts/draft-stream.js';
import type { ConversationReads } from '../conversation/reads.js';
import { isPossibleId } from '../conversation/bounds.js';
import { toBranchData, toMessageData } from './rows.js';

export interface DraftPlace {
  chatId: string;
  id: string;
  after: number;
  withChunks: boolean;
}

/**
 * Follows a draft of a chat of the viewer.
 * @param signal ends it
 */
export async function* followDraft(
  { drafts: feeds, reads }: { drafts: DraftFeeds; reads: ConversationReads },
  { chatId, id, after, withChunks }: DraftPlace,
  signal: AbortSignal | undefined,
): AsyncGenerator<DraftUpdate, void> {
  const { drafts, leave } = await feeds.join(chatId);
  let stream: DraftStream;
  try {
    const feed = drafts.feed(id) ?? endedFeed({ chatId, id }, await endOf(reads, chatId, id));
    feed.followers++;
    const following = { startAt: null, position: after, isOver: false };
    stream = new DraftStream(feed, following, () => {
      feed.followers--;
      leave();
    });
  } catch (error) {
    leave();
    throw error;
  }
  const end = () => void stream.return();
  signal?.addEventListener('abort', end);
  try {
    if (signal?.aborted === true) return;
    for await (const change of stream) {
      const update = await updateOf(reads, change, withChunks);
      if (update !== null) yield update;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Null for deleted chunks: the draft has ended, and its end is the next update. */
async function updateOf(
  reads: ConversationReads,
  change: DraftChange,
  withChunks: boolean,
): Promise<DraftUpdate | null> {
  switch (change.kind) {
    case 'chunks': {
      const { offset, length } = change;
      const chunks = withChunks ? await change.chunks() : [];
      return chunks && { type: 'chunks', offset, length, chunks };
    }
    case 'stopping':
      return { type: 'stopping', requestedBy: change.requestedBy };
    case 'abandoned':
      return { type: 'abandoned', length: change.length };
    case 'discarded':
      return { type: 'discarded' };
    case 'finished': {
      const { chatId, messageId, branchId } = change;
      const [[message], [branch], [active]] = await Promise.all([
        reads.messages([{ chatId, id: messageId }]),
        branchId === null ? [] : reads.branches([{ chatId, id: branchId }]),
        reads.activeBranches([chatId]),
      ]);
      const place = branch ?? active;
      // The chat was deleted while it was read.
      if (message == null || place === undefined) throw messageNotFound(messageId);
      return { type: 'finished', message: toMessageData(message), branch: toBranchData(place) };
    }
  }
}

/** The end of a draft that no longer exists. */
async function endOf(reads: ConversationReads, chatId: string, id: string): Promise<DraftMark> {
  const [message] = isPossibleId(id) ? await reads.messages([{ chatId, id }]) : [];
  if (message == null) throw draftNotFound(id, chatId);
  const [[branch] = []] = await reads.branchesThrough([message]);
  return { kind: 'finished', messageId: id, branchId: branch?.id ?? null };
}
