/** The paths of a share: the one that opens first, and those of other branches, which are stored as JSON with it. */
import type { SharedEnd } from './share-records.js';
import { sharedCount } from './shared-path.js';

/** Branches of a share besides the path that opens first. */
export const MAX_SHARED_BRANCHES = 20;

/** The key of the path that opens first. */
export const FIRST_PATH = '0';

/** Where a path leaves an earlier path of the share. */
export interface PathFork {
  /** The place of the earlier path in the share; null if they have no message in common. */
  readonly forkOf: number | null;
  /** The number of shown messages that both have in common. */
  readonly forkPlace: number;
}

type StoredPath = Pick<SharedEnd, 'messageId' | 'depth' | 'contentHash' | 'hiddenDepths'>;

/** A path as it is stored. */
export interface StoredBranch extends PathFork, StoredPath {
  /** Null if no branch ends there. */
  readonly name: string | null;
}

/** A path of a share as readers see it. */
export interface SharedBranch extends PathFork {
  /** The place of the path in the share. */
  readonly key: string;
  readonly name: string | null;
  readonly contentHash: string;
  readonly messageCount: number;
}

/** The path that opens first, and the others. */
export function branchesOf(share: SharedEnd): SharedBranch[] {
  const { contentHash, branchName: name } = share;
  const others = othersOf(share).map(({ messageId: _, depth, hiddenDepths, ...branch }, n) => {
    return { ...branch, key: String(n + 1), messageCount: sharedCount({ depth, hiddenDepths }) };
  });
  return [
    { key: FIRST_PATH, name, contentHash, messageCount: sharedCount(share), forkOf: null, forkPlace: 0 },
    ...others,
  ];
}

/** A share whose path is the requested one. */
export interface ReadShare extends SharedEnd {
  /** The share with the path that opens first. */
  readonly stored: SharedEnd;
}

/** The share with the path that has this key; null if there is none. */
export function pathAt(share: SharedEnd, key: string): ReadShare | null {
  if (key === FIRST_PATH) return { ...share, stored: share };
  const branch = othersOf(share).find((_, n) => String(n + 1) === key);
  if (branch === undefined) return null;
  const { messageId, depth, contentHash, hiddenDepths } = branch;
  return { ...share, messageId, depth, contentHash, hiddenDepths, stored: share };
}

function othersOf({ branches }: SharedEnd): StoredBranch[] {
  return branches === null ? [] : (JSON.parse(branches) as StoredBranch[]);
}
