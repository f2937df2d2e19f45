import type { DraftUpdate } from '@parley/context';
import { messageNotFound } from '@parley/context/server';
import type { DraftFeeds } from './live/draft-feeds.js';
import { openDraftStream, type DraftUpdate as DraftChange } from './live/draft-stream.js';
import type { StoreBase } from '../../feature.js';

/**
 * Follows a draft of a chat of the viewer.
 * @param signal ends it
 */
export async function* followDraft(
  feeds: DraftFeeds,
  base: StoreBase,
  { chatId, id, after, withChunks }: { chatId: string; id: string; after: number; withChunks: boolean },
  signal: AbortSignal | undefined,
): AsyncGenerator<DraftUpdate, void> {
  const { drafts, leave } = await feeds.join(chatId);
  const following = { startAt: null, position: after, isOver: false };
  const stream = await openDraftStream(drafts, id, following, { reads: base.reads, leave }).catch((error: unknown) => {
    leave();
    throw error;
  });
  const end = () => void stream.return();
  signal?.addEventListener('abort', end);
  try {
    if (signal?.aborted === true) return;
    for await (const change of stream) {
      const update = await updateOf(base, change, withChunks);
      if (update !== null) yield update;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Null for deleted chunks: the draft has ended, and its end is the next update. */
async function updateOf(
  { reads, toMessage, toBranch }: StoreBase,
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
      return { type: 'finished', message: toMessage(message), branch: toBranch(place) };
    }
  }
}
