import { isPossibleId } from '../../../conversation/bounds.js';
import type { ConversationReads } from '../../../conversation/reads.js';
import { placeOf, type Following } from '../../../events/following.js';
import { Stream, type StreamItem } from '../../../events/subscribable.js';
import { draftNotFound } from '../draft.js';
import type { ChatDrafts } from './chat-drafts.js';
import { endedFeed, type DraftFeed, type DraftMark } from './draft-feed.js';

/** An update for a subscriber of a draft. */
export type DraftUpdate = { readonly chatId: string; readonly id: string; readonly length: number } & (
  | DraftGrowth
  | DraftMark
);

/** The chunks between two lengths. A queued update holds none of them: they are read when its answer is made. */
export interface DraftGrowth {
  readonly kind: 'chunks';
  readonly offset: number;
  /**
   * @param take called with the bytes of each page before its chunks are read
   * @returns null when the chunks are deleted
   * @throws DatabaseUnavailableError, and the errors of `take`
   */
  readonly chunks: (take?: (bytes: number) => void) => Promise<unknown[] | null>;
}

/** The chunks and state changes of a draft after a place, then new ones as they come. Ends after the end of the draft. */
export class DraftStream extends Stream<DraftUpdate, DraftFeed> {
  protected async take(): Promise<StreamItem<DraftUpdate> | undefined> {
    const { source: feed, following } = this;
    const { position: length, mark: passed } = placeOf(following);
    const mark = feed.markAfter(passed);
    // Stop at the position of the other subscribers: all then share later updates.
    const others = following.until?.();
    const end = Math.min(mark?.at ?? feed.position, feed.position, others?.position ?? Infinity);
    if (length < end) {
      const update = await this.#growth(length, end);
      if (update !== null) return { value: update, place: { position: update.length, mark: passed } };
      // The chunks were deleted during the read: the feed is notified of it.
      if (mark === undefined) return undefined;
      following.position = end;
      return this.take();
    }
    if (mark === undefined || mark.at > length) return undefined;
    const { at: _at, number, ...change } = mark;
    following.isOver = mark.kind === 'finished' || mark.kind === 'discarded';
    return { value: { ...feed.of, ...change, length }, place: { position: length, mark: number } };
  }

  /** The growth from one length to the end of its page, at most to another length; null when it is deleted. */
  async #growth(from: number, to: number): Promise<Extract<DraftUpdate, DraftGrowth> | null> {
    const { source: feed } = this;
    const page = await feed.pageAt(from);
    if (page === null) return null;
    const length = Math.min(page.length, to);
    return { ...feed.of, kind: 'chunks', offset: from, length, chunks: (take) => chunksOf(feed, from, length, take) };
  }
}

/**
 * Follows a draft. A resuming subscriber gets its end when another draft has its id, or none.
 * @param leave called once, when the stream ends
 * @throws NotFoundError for a new subscriber when there is no message with its id either
 */
export async function openDraftStream(
  drafts: ChatDrafts,
  id: string,
  following: Following,
  { reads, leave }: { reads: ConversationReads; leave: () => void },
): Promise<DraftStream> {
  const key = { chatId: drafts.chatId, id };
  const { partStartedAt } = following;
  let feed = drafts.feed(id) ?? endedFeed(key, await endOf(reads, following, key));
  if (feed.startedAt !== undefined && feed.startedAt !== (partStartedAt ?? feed.startedAt))
    feed = endedFeed(key, { kind: 'discarded' });
  if (feed.startedAt !== undefined) following.partStartedAt = feed.startedAt;
  feed.followers++;
  return new DraftStream(feed, following, () => {
    feed.followers--;
    leave();
  });
}

/** The end of a draft that no longer exists. */
async function endOf(
  reads: ConversationReads,
  { startAt }: Following,
  key: { chatId: string; id: string },
): Promise<DraftMark> {
  const [message = null] = isPossibleId(key.id) ? await reads.messages([key]) : [];
  if (message === null) {
    if (startAt === null) throw draftNotFound(key);
    return { kind: 'discarded' };
  }
  const [[branch] = []] = await reads.branchesThrough([message]);
  return { kind: 'finished', messageId: message.id, branchId: branch?.id ?? null };
}

/** The chunks from one length to another. The page boundaries can change between reads. */
async function chunksOf(feed: DraftFeed, from: number, to: number, take?: (bytes: number) => void) {
  const chunks: unknown[] = [];
  for (let length = from; length < to;) {
    const page = await feed.pageAt(length);
    if (page === null) return null;
    take?.(page.bytes);
    for (const chunk of page.chunks.slice(length - page.offset, to - page.offset)) chunks.push(chunk);
    length = page.length;
  }
  return chunks;
}
