import type { ComparePlacesQuery } from '@parley/client';
import { ComparePlaces } from '@parley/client/operations';
import { useChats } from '@parley/client/react';
import { useMemo } from 'react';
import { useAnswer } from '../requests/use-answer.js';
import type { Step } from '../requests/use-path.js';

type Read = NonNullable<NonNullable<ComparePlacesQuery['chat']>['compare']>;

export interface Comparison {
  /** The newest common message; null without one. */
  ancestor: (Step & { depth: number }) | null;
  /** The first messages of each side after it. */
  left: readonly Step[];
  right: readonly Step[];
  /** The numbers of messages of each side that were not read. */
  unread: { left: number; right: number };
}

/**
 * Compares the paths to two messages.
 * @param first the number of messages to read per side, at most 1,000
 * @returns null until it was read, and 'missing' if a message is missing
 */
export function useComparison(
  chatId: string,
  leftId: string | null,
  rightId: string | null,
  first: number,
): Comparison | 'missing' | null {
  // After a reconnection, it is read again.
  const version = useChats().status === 'away';
  const places = leftId !== null && rightId !== null && { base: { messageId: leftId }, head: { messageId: rightId } };
  const read = useAnswer(ComparePlaces, places ? { chatId, ...places, first } : null, {
    version,
    of: `${leftId} ${rightId}`,
  });
  return useMemo(() => read && (read.chat?.compare ? comparisonOf(read.chat.compare) : 'missing'), [read]);
}

function comparisonOf({ commonAncestor: ancestor, ahead, aheadBy, behind, behindBy }: Read): Comparison {
  const [left, right] = [behind.edges.map(({ node }) => node), ahead.edges.map(({ node }) => node)];
  return { ancestor, left, right, unread: { left: behindBy - left.length, right: aheadBy - right.length } };
}
