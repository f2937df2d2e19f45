/** The name of every chat's first branch. */
export const FIRST_BRANCH = 'main';

/** The longest generated name, in UTF-16 code units: names derived from derived names stop growing here. */
const MAX_GIVEN_LENGTH = 60;

/**
 * The free names after a base: `main` is followed by main-v2, main-v3 and so on, each one above the highest number in
 * use. `main-video` and `main-v02` do not count as numbered. A long base is cut so that the number fits.
 */
export class NextBranchNames {
  /** The highest number in use, a BigInt so that there is always a next one. */
  #highest = 1n;
  /** Names with numbers too large to count on from. */
  readonly #beyond = new Set<string>();

  constructor(private readonly base: string) {}

  /** Notes a name in use. Names that are not the base with a number are ignored. */
  note(name: string): void {
    const [suffix, digits] = /-v([1-9][0-9]*)$/.exec(name) ?? [];
    if (suffix === undefined || fit(this.base, suffix) !== name) return;
    const number = Number(digits);
    if (number >= Number.MAX_SAFE_INTEGER) this.#beyond.add(name);
    else if (number > this.#highest) this.#highest = BigInt(number);
  }

  /** Returns the next free name and marks it as used. */
  take(): string {
    let name: string;
    do name = fit(this.base, `-v${++this.#highest}`);
    while (this.#beyond.has(name));
    return name;
  }
}

function fit(base: string, suffix: string): string {
  return cutText(base, MAX_GIVEN_LENGTH - suffix.length) + suffix;
}

/** The first `length` UTF-16 code units of well-formed text; a surrogate pair is never halved. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** The common prefix of all names that NextBranchNames needs: the base, cut to leave room for any number. */
export function relevantPrefix(base: string): string {
  return cutText(base, MAX_GIVEN_LENGTH - `-v${Number.MAX_SAFE_INTEGER}`.length);
}
