import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/conversation/text/canonical-json.js';
import { runs } from '../support/effort.js';

/** Few scalars and keys, so that pairs of values are often equal or nearly equal. */
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, '1', '', 'a'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '2', '10', '__proto__'), tie('value')), { maxLength: 3 })
      .map((members) => Object.fromEntries(members)),
  ),
}));

/** The JSON text of a value, with the members of every object in reverse order. */
function reversed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reversed).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${reversed(member)}`);
  return `{${members.reverse().join(', ')}}`;
}

describe('canonical JSON', () => {
  it('is the same text for equal values, for any order of keys', () => {
    fc.assert(
      fc.property(fc.oneof(values, fc.jsonValue()), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(JSON.stringify(value)));
      }),
      { numRuns: runs(300) },
    );
  });

  it('is another text for different values', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        const isSameText = canonicalJson(JSON.stringify(one)) === canonicalJson(JSON.stringify(other));
        expect(isSameText).toBe(isDeepStrictEqual(one, other));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('does not depend on the locale', () => {
    expect(canonicalJson('{"ä":1,"z":2,"Z":3,"a":4}')).toBe('{"Z":3,"a":4,"z":2,"ä":1}');
  });
});
