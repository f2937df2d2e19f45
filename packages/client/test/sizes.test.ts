/** What a page loads. */
import { expect, test } from 'vitest';
import { entries, sizeOf } from '../scripts/sizes.mjs';

const limited = Object.entries(entries).filter(([, entry]) => 'limit' in entry) as [
  string,
  { from: object; limit: number },
][];

test.each(limited)('%s stays within its size, with a tenth of room', async (_name, entry) => {
  expect(await sizeOf(entry)).toBeLessThan(entry.limit * 1.1);
});

test('what a page does not use it does not load', async () => {
  expect(await sizeOf(entries['tree utilities'])).toBeLessThan(1000);
});
