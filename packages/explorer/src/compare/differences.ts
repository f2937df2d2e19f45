/** The common part of two paths, and their differences. */

import type { Step } from '../use-path.js';

export interface Parting {
  /** The last common message; null when there is none, or it was not read. */
  ancestor: Step | null;
  /** The common messages before it that were read. */
  common: readonly Step[];
  left: readonly Step[];
  right: readonly Step[];
  /** The first messages of both sides if they are versions of one message, whose words can be compared. */
  versions: readonly [left: Step, right: Step] | null;
}

/** @param left and right root first, starting at any message */
export function partingOf(left: readonly Step[], right: readonly Step[]): Parting {
  const placeOnRight = new Map(right.map(({ id }, n) => [id, n]));
  const last = left.findLastIndex(({ id }) => placeOnRight.has(id));
  const ancestor = left[last] ?? null;
  const [leftRest, rightRest] = [left.slice(last + 1), right.slice((placeOnRight.get(ancestor?.id ?? '') ?? -1) + 1)];
  const [a, b] = [leftRest[0], rightRest[0]];
  const areVersions = a !== undefined && b !== undefined && a.parentId === b.parentId && a.name === b.name;
  const common = left.slice(0, Math.max(0, last));
  return { ancestor, common, left: leftRest, right: rightRest, versions: areVersions ? [a, b] : null };
}
