import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, rfc8785 } from '../../src/conversation/text/canonical-json.js';
import { MAX_JSON_DEPTH } from '@parley/interchange/limits';
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

  it('parses to the same value', () => {
    fc.assert(
      fc.property(fc.oneof(values, fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(isDeepStrictEqual(JSON.parse(canonicalJson(text)), JSON.parse(text))).toBe(true);
      }),
    );
  });

  it('writes equal numbers the same way, for any notation', () => {
    expect(canonicalJson('[1.0, 1e2, -0, 0.10]')).toBe('[1,100,0,0.1]');
  });

  it('does not depend on the locale', () => {
    expect(canonicalJson('{"ä":1,"z":2,"Z":3,"a":4}')).toBe('{"Z":3,"a":4,"z":2,"ä":1}');
  });

  it('keeps the order of arrays', () => {
    expect(canonicalJson('[3, 1, {"b": [2, 1], "a": 0}]')).toBe('[3,1,{"a":0,"b":[2,1]}]');
  });

  it('accepts values of the maximum depth of saved data', () => {
    const text = `${'[{"a":'.repeat(100)}1${'}]'.repeat(100)}`;
    expect(canonicalJson(text)).toBe(text);
  });
});

describe('RFC 8785', () => {
  it.each([
    ['1e21', '1e+21'],
    ['1e-7', '1e-7'],
    ['123456789012345680000', '123456789012345680000'],
    ['0.000001', '0.000001'],
    ['-0', '0'],
    ['333333333.33333329', '333333333.3333333'],
    ['4.50', '4.5'],
    ['[56, {"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
    // The keys of the RFC, in the order of UTF-16 code units.
    [
      '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ],
    ['"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    ['{"__proto__":1,"toString":2,"a":{"z":1,"b":2}}', '{"__proto__":1,"a":{"b":2,"z":1},"toString":2}'],
  ])('writes %s as %s', (text, expected) => expect(rfc8785(JSON.parse(text))).toBe(expected));

  it('takes the deepest stored data', () => {
    const text = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
    expect(rfc8785(JSON.parse(text))).toBe(text);
  });

  it('is the same text for any order of keys, and parses to the same value', () => {
    fc.assert(
      fc.property(fc.oneof(values, fc.jsonValue()), (value) => {
        const text = rfc8785(JSON.parse(reversed(value)));
        expect(text).toBe(rfc8785(JSON.parse(JSON.stringify(value))));
        expect(isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});
