import { MAX_NAME_LENGTH } from './bounds.js';

/** The branch that every chat begins with. */
export const FIRST_BRANCH = 'main';

/**
 * The next free name after `base`: `main` is followed by main-v2, main-v3 and so on, one more than the highest number
 * in use. `main-video` and `main-v02` are no such numbers.
 *
 * A base so long that the number does not fit any more is cut to make room.
 *
 * @param taken names in use in the chat; those that do not begin with `base` do not matter
 */
export function nextBranchName(base: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  const prefix = `${base}-v`;
  let highest = 1;
  for (const name of names) {
    if (name.startsWith(prefix)) highest = Math.max(highest, versionNumber(name.slice(prefix.length)));
  }
  // Whole numbers beyond those of a double: there is always a next one.
  for (let n = BigInt(highest) + 1n; ; n++) {
    const name = fit(base, `-v${n}`);
    // Only a name that was cut can be taken here.
    if (!names.has(name)) return name;
  }
}

/** The number that a suffix stands for, 0 for none: from 2, without leading zeros, and with a successor. */
function versionNumber(suffix: string): number {
  if (!/^[1-9][0-9]*$/.test(suffix)) return 0;
  const n = Number(suffix);
  return n < Number.MAX_SAFE_INTEGER ? n : 0;
}

function fit(base: string, suffix: string): string {
  return cutText(base, MAX_NAME_LENGTH - suffix.length) + suffix;
}

/** The first `length` UTF-16 code units of well-formed text; a pair that the cut would halve goes whole. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The text with which every name begins that nextBranchName(base) must know of: the base, cut to leave room for any
 * number, because a long base is cut too.
 */
export function relevantPrefix(base: string): string {
  return cutText(base, MAX_NAME_LENGTH - `-v${Number.MAX_SAFE_INTEGER}`.length);
}
