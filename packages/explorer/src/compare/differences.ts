/** What two paths have in common, and where they part. */

import type { Step } from '../use-path.js';

export interface Parting {
  /** The last message of both; null where they have none in common, or it lies before what was read. */
  ancestor: Step | null;
  left: readonly Step[];
  right: readonly Step[];
  /** The first of each side where they are versions of one message: what was changed in the words can be marked then. */
  versions: readonly [left: Step, right: Step] | null;
}

/** @param left and right root first, from wherever they were read */
export function partingOf(left: readonly Step[], right: readonly Step[]): Parting {
  const placeOnRight = new Map(right.map(({ id }, n) => [id, n]));
  const last = left.findLastIndex(({ id }) => placeOnRight.has(id));
  const ancestor = left[last] ?? null;
  const [leftRest, rightRest] = [left.slice(last + 1), right.slice((placeOnRight.get(ancestor?.id ?? '') ?? -1) + 1)];
  const [a, b] = [leftRest[0], rightRest[0]];
  const areVersions = a !== undefined && b !== undefined && a.parentId === b.parentId && a.name === b.name;
  return { ancestor, left: leftRest, right: rightRest, versions: areVersions ? [a, b] : null };
}
