import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../src/conversation/text/merge-patch.js';

/** The text of a patched value: unlike an object, it distinguishes a member __proto__ from a prototype. */
const patched = (target: string, patch: string) => JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)));

describe('a merge patch', () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('converts %s with %s as in appendix A of RFC 7396: %s', (target, patch, result) => {
    expect(patched(target, patch)).toBe(result);
  });

  it('treats a member __proto__ like any other', () => {
    expect(patched('{}', '{"__proto__":{"isAdmin":true}}')).toBe('{"__proto__":{"isAdmin":true}}');
    expect(patched('{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}')).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(patched('{"__proto__":1,"a":2}', '{"__proto__":null}')).toBe('{"a":2}');
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  it('ignores members of the prototype', () => {
    expect(patched('{}', '{"toString":{"a":1}}')).toBe('{"toString":{"a":1}}');
    expect(patched('{}', '{"constructor":{"prototype":{"a":1}}}')).toBe('{"constructor":{"prototype":{"a":1}}}');
  });

  it('can be applied again without a further change, and modifies neither argument', () => {
    const key = fc.constantFrom('a', 'b', '__proto__');
    const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, 'x', false),
        fc.array(tie('value'), { maxLength: 2 }),
        // Not fc.dictionary, which would set the prototype.
        fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
      ),
    }));
    fc.assert(
      fc.property(values, values, (target, patch) => {
        const before = [JSON.stringify(target), JSON.stringify(patch)];
        const once = mergePatch(target, patch);
        expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once));
        expect([JSON.stringify(target), JSON.stringify(patch)]).toEqual(before);
      }),
    );
  });
});
