/** Measures several ways of the same work in turns, so that all of them have the same noise. */

/** A way: does the work once. */
export type Way = () => unknown;

/** Consecutive measurements of a way in its turn, so that caches and processors are as warm as in use. */
const TURN = 5;

/**
 * The median time of each way, in milliseconds.
 * @param rounds turns of each way, after two turns for warm-up
 */
export function medians<K extends string>(ways: Record<K, Way>, rounds: number): Promise<Record<K, number>> {
  const timed = async (way: Way) => {
    const times: number[] = [];
    for (let i = 0; i < TURN; i++) times.push(await timeOf(way));
    return times;
  };
  return mediansOfTurns(
    mapValues(ways, (way) => () => timed(way)),
    rounds,
    2,
  );
}

/**
 * The median of the values that the turns of each way return.
 * @param warmUps turns before the measured ones
 */
export async function mediansOfTurns<K extends string>(
  ways: Record<K, () => Promise<number | number[]>>,
  rounds: number,
  warmUps = 1,
): Promise<Record<K, number>> {
  const names = Object.keys(ways) as K[];
  const values = mapValues(ways, (): number[] => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of names) {
      const measured = await ways[name]();
      if (round >= 0) values[name].push(...[measured].flat());
    }
  }
  return mapValues(values, median);
}

/** The duration in milliseconds. */
export async function timeOf(way: Way): Promise<number> {
  const begin = performance.now();
  await way();
  return performance.now() - begin;
}

/** The middle value. */
export function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a share of the values lies. @param share such as 0.99 */
export function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** The same keys with mapped values. */
export function mapValues<K extends string, A, B>(values: Record<K, A>, map: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(values).map(([name, value]) => [name, map(value)])) as Record<K, B>;
}
