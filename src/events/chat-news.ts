import { membersOf } from '../conversation/access/ownership.js';
import type { ChatStatus } from '../conversation/log-reads.js';

export interface RecentChat {
  readonly chatId: string;
  readonly version: number;
  /** Null after its deletion. */
  readonly userId: string | null;
  /** The time of the last deletion under its id: a later time means that this chat was deleted. */
  readonly deletedAt: number | null;
}

export interface ChatNews extends RecentChat {
  readonly isNew: boolean;
  /** Users with a role, besides the owner. */
  readonly members: readonly string[];
  /** Users who owned the chat before this change. */
  readonly previousOwners: readonly string[];
}

/**
 * Compares a chat with its known state, or an unknown chat with its state at a time.
 * @returns null without a difference
 */
export function diffChat(status: ChatStatus, known: RecentChat | undefined, since: number): ChatNews | null {
  const { chatId, chat, deletion, madeAt } = status;
  const deletedAt = deletion?.createdAt ?? null;
  // The known chat was deleted, even if another chat has its id.
  const isAnother = known !== undefined && isLater(deletedAt, known.deletedAt);
  const of = (
    userId: string | null,
    version: number,
    isNew: boolean,
    before: readonly (string | null | undefined)[],
  ) => {
    const previousOwners = new Set(before.filter((each) => each != null && each !== userId)) as Set<string>;
    const members = chat === null ? [] : membersOf(chat).map((member) => member.userId);
    return { chatId, version, userId, deletedAt, isNew, members, previousOwners: [...previousOwners] };
  };
  if (chat === null) {
    const isKnown = known === undefined ? deletion === null : known.userId === null && !isAnother;
    if (isKnown) return null;
    return of(null, deletion?.seq ?? known?.version ?? 0, false, [deletion?.userId, known?.userId]);
  }
  if (known === undefined) {
    const isNew = madeAt !== null && madeAt >= since;
    return of(chat.userId, chat.version, isNew, formerOwners(status, since));
  }
  const isNew = isAnother || known.userId === null;
  if (!isNew && chat.version <= known.version) return null;
  const formerly = isNew ? formerOwners(status, since) : formerOwners(status);
  return of(chat.userId, chat.version, isNew, [known.userId, isAnother ? deletion?.userId : null, ...formerly]);
}

/** Whether the time of a deletion is later than the known one. */
export function isLater(deletedAt: number | null, knownDeletedAt: number | null): boolean {
  return (deletedAt ?? -1) > (knownDeletedAt ?? -1);
}

function formerOwners({ transfers }: ChatStatus, since = -Infinity): string[] {
  return transfers.filter(({ createdAt }) => createdAt >= since).map(({ previousUserId }) => previousUserId);
}
