import type { Message } from './model.js';

/** The ends of two paths of a chat, and the newest message of both; null if they have different roots. */
export interface Comparison {
  readonly base: Message;
  readonly head: Message;
  readonly commonAncestor: Message | null;
}

/** The depth of the first messages that only one path has. */
export const firstOwnDepth = ({ commonAncestor }: Comparison): number => (commonAncestor?.depth ?? -1) + 1;

/** The numbers of messages that only the path to the head or to the base has. */
export function differences(comparison: Comparison) {
  const { base, head } = comparison;
  const [aheadBy, behindBy] = [head, base].map(({ depth }) => depth + 1 - firstOwnDepth(comparison)) as [
    number,
    number,
  ];
  const status = aheadBy > 0 ? (behindBy > 0 ? 'DIVERGED' : 'AHEAD') : behindBy > 0 ? 'BEHIND' : 'IDENTICAL';
  return { status, aheadBy, behindBy } as const;
}
