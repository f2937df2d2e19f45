import type { ComparePlacesQuery } from '@parley/client';
import { ComparePlaces } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { useEffect, useState } from 'react';
import type { Step } from '../use-path.js';

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
  const parley = useParley();
  const isAway = useChats().status === 'away';
  const [read, setRead] = useState<{ of: string; comparison: Comparison | 'missing' } | null>(null);
  const of = `${leftId} ${rightId}`;
  useEffect(() => {
    if (leftId === null || rightId === null) return;
    const reading = new AbortController();
    const places = { base: { messageId: leftId }, head: { messageId: rightId } };
    parley.run(ComparePlaces, { chatId, ...places, first }, reading.signal).then(
      ({ chat }) => setRead({ of, comparison: chat?.compare ? comparisonOf(chat.compare) : 'missing' }),
      // The page shows the connection's state; after a reconnection, it is read again.
      () => {},
    );
    return () => reading.abort();
  }, [parley, chatId, of, first, isAway]);
  return read?.of === of ? read.comparison : null;
}

function comparisonOf({ commonAncestor: ancestor, ahead, aheadBy, behind, behindBy }: Read): Comparison {
  const [left, right] = [behind.edges.map(({ node }) => node), ahead.edges.map(({ node }) => node)];
  return { ancestor, left, right, unread: { left: behindBy - left.length, right: aheadBy - right.length } };
}
