import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkName, isPossibleId } from '../../src/conversation/bounds.js';
import { NextBranchNames, relevantPrefix } from '../../src/conversation/branches/branch-names.js';

function nextBranchName(base: string, taken: readonly string[]): string {
  const names = new NextBranchNames(base);
  for (const name of taken) names.note(name);
  return names.take();
}

describe('the next branch name', () => {
  it.each([
    'main-video',
    'main-v02',
    'main-v',
    'main-v-2',
    'main-v2.5',
    'main-v2 b',
    'main-v１２',
    'Main-v5',
    'xmain-v5',
  ])('does not parse %s as a version', (name) => {
    expect(nextBranchName('main', ['main', name])).toBe('main-v2');
  });

  it('numbers the versions of a version separately', () => {
    expect(nextBranchName('main-v2', ['main', 'main-v2', 'main-v3'])).toBe('main-v2-v2');
    expect(nextBranchName('main-v2', ['main', 'main-v2', 'main-v2-v2'])).toBe('main-v2-v3');
    expect(nextBranchName('main', ['main', 'main-v2', 'main-v2-v9'])).toBe('main-v3');
  });

  it('treats pattern characters in a base as plain text', () => {
    expect(nextBranchName('a.*(b', ['a.*(b', 'axx(b-v5'])).toBe('a.*(b-v2');
  });

  it('skips a number that has no successor', () => {
    expect(nextBranchName('main', ['main-v99999999999999999999'])).toBe('main-v2');
  });

  it('is unused when the highest numbers are taken, and does not fill gaps', () => {
    const taken = ['main', 'main-v9007199254740990', 'main-v9007199254740991', 'main-v9007199254740992'];
    expect(taken).not.toContain(nextBranchName('main', taken));
    expect(nextBranchName('main', ['main', 'main-v9', 'main-v10'])).toBe('main-v11');
  });
});

it('successive names are the same as with each recorded name', () => {
  for (const base of ['main', 'x'.repeat(255)]) {
    const names = new NextBranchNames(base);
    const taken = [base, `${base.slice(0, 200)}-v4`, 'main-v9007199254740990', 'main-v9007199254740992'];
    for (const name of taken) names.note(name);
    for (let n = 0; n < 12; n++) {
      const next = nextBranchName(base, taken);
      expect(names.take()).toBe(next);
      taken.push(next);
    }
    expect(new Set(taken).size).toBe(taken.length);
  }
});

describe('a base too long for its version', () => {
  const full = 'x'.repeat(255);

  it('is shortened: no generated name exceeds 60 characters', () => {
    expect(nextBranchName(full, [full])).toBe(`${'x'.repeat(57)}-v2`);
    expect(nextBranchName('x'.repeat(57), [])).toBe(`${'x'.repeat(57)}-v2`);
  });

  it('drops a character outside the basic plane as a whole', () => {
    const base = `${'x'.repeat(56)}😀😀`;
    expect(base).toHaveLength(60);
    expect(nextBranchName(base, [base])).toBe(`${'x'.repeat(56)}-v2`);
  });
});

describe('for any base and any names', () => {
  // Few letters, so that names collide; lengths below and above the limit.
  const letters = fc.constantFrom('x', '😀', '-', 'v', '1', '9', '2');
  const text = (minLength: number, maxLength: number) =>
    fc.array(letters, { minLength, maxLength }).map((parts) => parts.join(''));
  const bases = fc
    .tuple(fc.constantFrom('', 'x'.repeat(35), 'x'.repeat(41), 'x'.repeat(50)), text(1, 25))
    .map(([start, end]) => start + end)
    .filter(isPossibleId);
  const scenes = bases.chain((base) => {
    const number = fc.oneof(
      fc.integer({ min: 0, max: 12 }),
      fc.maxSafeNat().filter((n) => n < 2 ** 52),
    );
    const version = fc
      .tuple(fc.integer({ min: 0, max: base.length }), number)
      .map(([cut, n]) => `${base.slice(0, base.length - (cut % 24))}-v${n}`);
    return fc.record({
      base: fc.constant(base),
      taken: fc.array(fc.oneof(version, text(1, 10)).filter(isPossibleId), { maxLength: 15 }),
    });
  });

  it('the next name is valid and unused', () => {
    fc.assert(
      fc.property(scenes, ({ base, taken }) => {
        const next = nextBranchName(base, taken);
        expect(checkName(next, 'name')).toBe(next);
        expect(taken).not.toContain(next);
      }),
    );
  });

  it('the next name depends only on names with the relevant prefix', () => {
    fc.assert(
      fc.property(scenes, ({ base, taken }) => {
        const prefix = relevantPrefix(base);
        const next = nextBranchName(base, taken);
        expect(next.startsWith(prefix)).toBe(true);
        expect(
          nextBranchName(
            base,
            taken.filter((name) => name.startsWith(prefix)),
          ),
        ).toBe(next);
      }),
    );
  });
});
