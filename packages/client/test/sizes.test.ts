/** The size of the package in a page. */
import { expect, test } from 'vitest';
import { entries, sizeOf } from '../scripts/sizes.mjs';

const limited = Object.entries(entries).filter(([, entry]) => 'limit' in entry) as [
  string,
  { from: object; limit: number },
][];

test.each(limited)('%s stays within its size', async (_name, entry) => {
  expect(await sizeOf(entry)).toBeLessThanOrEqual(entry.limit);
});

test('an entry without dependencies loads no other code', async () => {
  expect(await sizeOf(entries.tree)).toBeLessThan(1000);
});
