import type { Standing } from '../conversation/list-reads.js';
import type { RecentChat } from './recent-chats.js';

/** A change of a chat. */
export interface ChatNews extends RecentChat {
  readonly isNew: boolean;
  /** Those whose it is no more. */
  readonly losers: readonly string[];
}

/**
 * What has happened to a chat since it was known, or, when it was not, since a time.
 * @returns null when there is nothing to tell
 */
export function newsOf(standing: Standing, known: RecentChat | undefined, since: number): ChatNews | null {
  const { chatId, chat, deletion, madeAt } = standing;
  const deletedAt = deletion?.createdAt ?? null;
  // It was deleted meanwhile, whatever has its id now.
  const isAnother = known !== undefined && isLater(deletedAt, known.deletedAt);
  const of = (
    userId: string | null,
    version: number,
    isNew: boolean,
    before: readonly (string | null | undefined)[],
  ) => {
    const losers = new Set(before.filter((each) => each != null && each !== userId)) as Set<string>;
    return { chatId, version, userId, deletedAt, isNew, losers: [...losers] };
  };
  if (chat === null) {
    const isKnown = known === undefined ? deletion === null : known.userId === null && !isAnother;
    if (isKnown) return null;
    return of(null, deletion?.seq ?? known?.version ?? 0, false, [deletion?.userId, known?.userId]);
  }
  if (known === undefined) {
    const isNew = madeAt !== null && madeAt >= since;
    return of(chat.userId, chat.version, isNew, formerOwners(standing, since));
  }
  const isNew = isAnother || known.userId === null;
  if (!isNew && chat.version <= known.version) return null;
  const formerly = isNew ? formerOwners(standing, since) : formerOwners(standing);
  return of(chat.userId, chat.version, isNew, [known.userId, isAnother ? deletion?.userId : null, ...formerly]);
}

/** Whether a time of a deletion says that there was another one. */
export function isLater(deletedAt: number | null, knownDeletedAt: number | null): boolean {
  return (deletedAt ?? -1) > (knownDeletedAt ?? -1);
}

function formerOwners({ transfers }: Standing, since = -Infinity): string[] {
  return transfers.filter(({ createdAt }) => createdAt >= since).map(({ previousUserId }) => previousUserId);
}
