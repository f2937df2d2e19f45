import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson, checkName, checkOptionalName, isPossibleId } from '../../../src/conversation/bounds.js';
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

describe('an id or a name', () => {
  it.each(['a', 'x'.repeat(255), '😀'.repeat(127), ' a', 'a b', 'a\n', '零', '__proto__'])('can be %j', (value) => {
    expect(checkName(value, 'id')).toBe(value);
    expect(isPossibleId(value)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['longer than 255 UTF-16 code units', '😀'.repeat(128)],
    ['ended by a space', 'a '],
    ['with U+0000 in it', 'a\0b'],
    ['half a surrogate pair', 'a\ud83d'],
    ['the other half', '\ude00a'],
    ['a reversed surrogate pair', '\ude00\ud83d'],
  ])('cannot be %s', (_, value) => {
    const error = refusal(() => checkName(value, 'messages.3.id'));
    expect(error.path).toBe('messages.3.id');
    expect(error.message).toMatch(/^messages\.3\.id must /);
    expect(isPossibleId(value)).toBe(false);
  });

  it('is refused with its length if it is too long', () => {
    expect(refusal(() => checkName('x'.repeat(300), 'name')).message).toMatch(/255.*300/);
  });

  it('may be missing if it is optional, but not empty', () => {
    expect(checkOptionalName(null, 'id')).toBeNull();
    expect(checkOptionalName(undefined, 'id')).toBeNull();
    expect(refusal(() => checkOptionalName('', 'id')).path).toBe('id');
  });
});

describe('JSON from outside', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value };
    return value;
  };

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

  it('may have 200 nested levels, not 201', () => {
    expect(checkJson(nested(200), 'data', 10_000)).toBe(JSON.stringify(nested(200)));
    expect(refusal(() => checkJson(nested(201), 'data', 10_000)).message).toMatch(/200 levels/);
  });

  it('of 100,000 levels is refused without a stack overflow', () => {
    expect(refusal(() => checkJson(nested(100_000), 'metadata', 1e9)).message).toMatch(/^metadata .*200 levels/);
    expect(refusal(() => checkJson([1, 2, { a: [nested(100_000)] }], 'metadata', 1e9)).path).toBe('metadata');
  });

  it('may have any number of members within its byte limit', () => {
    const wide = new Array<number>(300_000).fill(0);
    expect(checkJson(wide, 'data', 1e6)).toHaveLength(600_001);
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
