import { expect, test } from 'vitest';
import { mutantsOf } from './mutants.js';

const SOURCE = `
import { a } from 'a';
export const limit = 3;
export function page(rows: readonly ('x' | 'y')[], size?: number): string[] {
  if (rows.length < limit) return ['none'];
  log?.write(rows);
  return rows.filter((row) => row !== 'x').slice(0, (size ?? limit) + 1);
}`;

test('lists each replacement of an expression or a statement, with its line and its innermost block', () => {
  expect(mutantsOf('src/page.ts', SOURCE).map(({ line, block, change }) => [line, block, change])).toEqual([
    [5, 0, 'rows.length < limit → true'],
    [5, 0, 'rows.length < limit → false'],
    [5, 0, '< → <='],
    [5, 0, "['none'] → []"],
    [5, 0, "'none' → ''"],
    [6, 0, 'log?.write(rows); → ;'],
    [6, 0, '?. → .'],
    [7, 0, "rows.filter((row) => row !== 'x').slice(0, (size ?? limit) + 1) → rows.filter((row) => row !== 'x')"],
    [7, 0, "rows.filter((row) => row !== 'x') → rows"],
    [7, 1, '!== → ==='],
    [7, 1, "'x' → ''"],
    [7, 0, '+ → -'],
    [7, 0, ' ?? limit → nothing'],
  ]);
});
