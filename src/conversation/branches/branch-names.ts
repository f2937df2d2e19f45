/** The branch that every chat begins with. */
export const FIRST_BRANCH = 'main';

/** A name after a name after a name grows no longer than this, in UTF-16 code units. */
const MAX_GIVEN_LENGTH = 60;

/**
 * The free names after a base: `main` is followed by main-v2, main-v3 and so on, each one more than the highest number in
 * use. `main-video` and `main-v02` are no such numbers.
 *
 * A base so long that the number does not fit any more is cut to make room.
 */
export class NextBranchNames {
  /** The highest number in use: of a BigInt there is always a next one. */
  #highest = 1n;
  /** The names whose numbers are beyond those that count. */
  readonly #beyond = new Set<string>();

  constructor(private readonly base: string) {}

  /** Notes a name that is in use; those that are not the base with a number do not matter. */
  note(name: string): void {
    const [suffix, digits] = /-v([1-9][0-9]*)$/.exec(name) ?? [];
    if (suffix === undefined || fit(this.base, suffix) !== name) return;
    const number = Number(digits);
    if (number >= Number.MAX_SAFE_INTEGER) this.#beyond.add(name);
    else if (number > this.#highest) this.#highest = BigInt(number);
  }

  /** The next one, which is in use from then on. */
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

/** The first `length` UTF-16 code units of well-formed text; a pair that the cut would halve goes whole. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The text with which every name begins that NextBranchNames must know of: the base, cut to leave room for any
 * number, because a long base is cut too.
 */
export function relevantPrefix(base: string): string {
  return cutText(base, MAX_GIVEN_LENGTH - `-v${Number.MAX_SAFE_INTEGER}`.length);
}
