/** Times several ways of doing the same in turns, so that all of them meet the same noise. */

/** A way: does the work once. */
export type Way = () => unknown;

/** How often a way is timed before it is the next one's turn: caches and processors are warm as they are in use. */
const TURN = 5;

/**
 * The median time of each way, in milliseconds.
 * @param rounds how many turns each has; two more, untimed, come first
 */
export async function medians<K extends string>(ways: Record<K, Way>, rounds: number): Promise<Record<K, number>> {
  const names = Object.keys(ways) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = -2; round < rounds; round++) {
    for (const name of names) {
      for (let i = 0; i < TURN; i++) {
        const begin = performance.now();
        await ways[name]();
        if (round >= 0) times[name].push(performance.now() - begin);
      }
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<K, number>;
}

/** The middle one. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
