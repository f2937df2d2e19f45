import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson } from '../../../src/conversation/bounds.js';
import { InvalidInputError } from '../../../src/conversation/errors.js';

/** The InvalidInputError of a failing check; fails the test for any other error, or without an error. */
function refusal(check: () => unknown): InvalidInputError {
  try {
    check();
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
  throw new Error('the check did not throw');
}

describe('JSON from outside', () => {
  it('is kept unchanged, for any content', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(JSON.parse(checkJson(value, 'data', 1e9))).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps members with names of Object.prototype', () => {
    const text = '{"__proto__":{"constructor":1},"toString":null,"hasOwnProperty":[]}';
    expect(checkJson(JSON.parse(text), 'data', 1000)).toBe(text);
  });

  it('is measured in UTF-8 bytes, including quotes and braces', () => {
    expect(checkJson('éé', 'data', 6)).toBe('"éé"');
    expect(refusal(() => checkJson('éé', 'data', 5)).message).toMatch(/5 bytes.*6/);
    expect(checkJson({ a: '😀' }, 'data', 12)).toBe('{"a":"😀"}');
    expect(refusal(() => checkJson({ a: '😀' }, 'data', 11)).path).toBe('data');
  });

  it.each([
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a string with U+0000', 'a\0'],
    ['a string with a lone surrogate', '\udc00'],
  ])('cannot contain %s at any level', (_, value) => {
    for (const place of [value, [value], { a: value }, { a: [{ b: value }, 1] }]) {
      const error = refusal(() => checkJson(place, 'content.data', 1000));
      expect(error.path).toBe('content.data');
      expect(error.message).toMatch(/^content\.data must /);
    }
  });

  it('cannot have a gap in an array', () => {
    const gap: unknown[] = [];
    gap[1] = 1;
    expect(refusal(() => checkJson(gap, 'data', 1000)).message).toMatch(/undefined/);
  });

  it.each(['a\0', '\ud800', 'x\udfff'])('cannot have the key %j', (key) => {
    expect(refusal(() => checkJson([{ [key]: 1 }], 'data', 1000)).path).toBe('data');
  });
});
