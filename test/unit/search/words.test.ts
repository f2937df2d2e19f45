import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cut } from '../../../src/search/cut.js';
import { fold } from '../../../src/search/fold.js';
import { type Word, words } from '../../../src/search/words.js';
import { anyText } from './any-text.js';
import { runs } from '../../support/effort.js';

const forms = (text: string) => Array.from(words(text), ({ form }) => form);
const stems = (text: string) => Array.from(words(text), ({ stem }) => stem);
const spellings = (text: string) => Array.from(words(text), ({ start, end }) => text.slice(start, end));

describe('the words of a text', () => {
  it('are its runs of letters and digits, with their offsets', () => {
    expect([...words('Hi, 2nd!')]).toEqual([
      { kind: 'word', start: 0, end: 2, form: 'hi', stem: 'hi' },
      { kind: 'word', start: 4, end: 7, form: '2nd', stem: '2nd' },
    ]);
  });

  it.each([
    ["what's foo-bar", ['what', 's', 'foo', 'bar']],
    ['user_1@example.com', ['user', '1', 'example', 'com']],
    ['a\u00a0b\0c\ud800d', ['a', 'b', 'c', 'd']],
    ['co\u00adop', ['co', 'op']],
    ['x.y/z\\(w)', ['x', 'y', 'z', 'w']],
  ])('are separated by everything else: %j', (text, expected) => {
    expect(forms(text)).toEqual(expected);
  });

  it.each(['', ' \n', '.,;!?', '%_*"', '❤️ 👍🏽', '\u0301', '\ufe0f', '\u3164', 'ﱞ', 'ﾞ', '\ud83d', '\0'])(
    'are empty for %j',
    (text) => {
      expect(forms(text)).toEqual([]);
    },
  );

  it('are stemmed only if they are English or look like it', () => {
    expect(stems('running ponies universities generalizations')).toEqual(['run', 'poni', 'univers', 'gener']);
    expect(stems('h2os бегущие 北京 naïvely')).toEqual(['h2os', 'бегущие', '北京', 'naiv']);
  });

  it('have forms of at most 64 UTF-16 units, and offsets of their whole source text', () => {
    const text = `${'x'.repeat(100)} ${'𝒳'.repeat(70)} ${'𠀀'.repeat(2)} a${'𐐨'.repeat(70)}`;
    expect(forms(text)).toEqual(['x'.repeat(64), 'x'.repeat(64), '𠀀𠀀', `a${'𐐨'.repeat(31)}`]);
    expect(spellings(text)).toEqual(text.split(' '));
  });

  it('are found one at a time, so that the first takes no longer in a long text', () => {
    const exec = vi.spyOn(RegExp.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    expect(words('running shoes '.repeat(75_000)).next().value).toMatchObject({ form: 'running', end: 7 });
    expect(exec.mock.calls.length).toBeLessThan(10);
  });

  it('are normalized up to 512 UTF-16 units each, because marks are sorted in quadratic time', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    onTestFinished(() => normalize.mockRestore());
    expect(forms(`a${'\u0301'.repeat(2 ** 10)}${'\u0316'.repeat(2 ** 10)} É`)).toEqual(['a', 'e']);
    expect(Math.max(...normalize.mock.contexts.map((text) => (text as string).length))).toBe(512);
  });

  it('have ascending offsets and valid forms, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let before = { start: -1, end: 0, kind: 'word' };
        for (const word of words(text)) {
          const { start, end, form, stem, kind } = word;
          // Only pairs overlap, by one character.
          expect(start).toBeGreaterThanOrEqual(kind === 'pair' ? before.start + 1 : before.end);
          expect(end).toBeGreaterThan(Math.max(start, before.end));
          expect(end).toBeLessThanOrEqual(text.length);
          expect(text.slice(start, end)).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
          expect(form).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
          expect(form).not.toMatch(/[^\P{ASCII}a-z0-9]/u);
          expect(form.length).toBeLessThanOrEqual(64);
          expect(form.isWellFormed()).toBe(true);
          expect(stem).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
          before = word;
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('Chinese, Japanese and Korean', () => {
  it.each([
    ['北京大学', ['北京', '京大', '大学']],
    ['我', ['我']],
    ['我，你们', ['我', '你们']],
    ['我用iPhone15手机', ['我用', 'iphone15', '手机']],
    ['A我1', ['a', '我', '1']],
    ['コーヒー', ['コー', 'ーヒ', 'ヒー']],
    ['人々', ['人々']],
    ['二〇二四年', ['二〇', '〇二', '二四', '四年']],
    ['한국어', ['한국', '국어']],
    ['안녕ㅋㅋ', ['안녕', '녕ᄏ', 'ᄏᄏ']],
    ['ㄅㄆㄇ', ['ㄅㄆ', 'ㄆㄇ']],
    ['ヿ', ['コト']],
    ['𠮷野家', ['𠮷野', '野家']],
    ['Ａ１', ['a1']],
    ['我Ａ１', ['我', 'a1']],
  ])('%s is split into pairs of characters', (text, expected) => {
    expect(forms(text)).toEqual(expected);
  });

  it('have pairs from the start of the first character to the end of the second', () => {
    expect([...words('𠮷野か\u3099x')]).toEqual([
      { kind: 'pair', start: 0, end: 3, form: '𠮷野', stem: '𠮷野' },
      { kind: 'pair', start: 2, end: 5, form: '野が', stem: '野が' },
      { kind: 'word', start: 5, end: 6, form: 'x', stem: 'x' },
    ]);
    expect([...words('x 我')][1]).toEqual({ kind: 'character', start: 2, end: 3, form: '我', stem: '我' });
  });

  it.each(['字\u3164', '字\ud7c7'])('have no characters in fillers and unassigned code points: %j', (text) => {
    expect([...words(`${text}字`)]).toMatchObject([
      { kind: 'character', start: 0, end: 1 },
      { kind: 'character', start: 2, end: 3 },
    ]);
  });

  it.each([
    ['halfwidth kana', 'ｶﾞｷﾞｮｰﾊﾟ', 'ガギョーパ'],
    ['decomposed kana', 'か\u3099き\u3099パ'.normalize('NFD'), 'がぎパ'],
    ['Hangul in jamo', '한국어를'.normalize('NFD'), '한국어를'],
    ['ideographs with variation selectors', '葛\u{e0100}城\ufe00', '葛城'],
    ['compatibility ideographs', '\uf900\u{2f800}', '豈丽'],
    ['kana with a stray diacritic', 'ア\u0302イ', 'アイ'],
  ])('are found in other spellings: %s', (_, text, usual) => {
    expect(forms(text)).toEqual(forms(usual));
  });
});

describe('a folded word', () => {
  it.each([
    ['Émigré', 'emigre'],
    ['e\u0301', 'e'],
    ['Straße STRASSE ẞ', 'strasse strasse ss'],
    ['ΟΔΟΣ ὁδός', 'οδοσ οδοσ'],
    ['ı İ I i', 'i i i i'],
    ['ﬁne ſee', 'fine see'],
    ['Øre Łódź đa ħ ŧ', 'ore lodz da h t'],
    ['Æsop Œuvre Þór ð ŋ', 'aesop oeuvre thor d n'],
    ['ƀ ǥ ɨ ƶ', 'b g i z'],
    ['½ x² ① ⒈ ⑴', '12 x2 1 1 1'],
    ['ＡＢＣ１２', 'abc12'],
    ['ййёЁ', 'ииее'],
    ['हिन्दी', 'हिन्दी'],
    ['Ⅷ µ ŉ', 'viii μ ʼn'],
    ['1️⃣', '1⃣'],
  ])('%s is %s', (text, expected) => {
    expect(forms(text).join(' ')).toBe(expected);
  });

  it('does not change when folded again, and is a word', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { kind, form } of words(text)) {
          expect(fold(form)).toBe(form);
          expect(form.normalize('NFC')).toBe(form);
          if (kind === 'word') expect(forms(form)).toEqual([form]);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('does not change when folded again, for every letter of Unicode', () => {
    // The planes from 4 to 13 are not assigned, and those after 14 are for private use.
    const codePoints = Array.from({ length: 0x40000 }, (_, codePoint) => codePoint);
    codePoints.push(...Array.from({ length: 0x1000 }, (_, n) => 0xe0000 + n));
    const all = codePoints.map((codePoint) => String.fromCodePoint(codePoint)).join(' ');
    const isLegal = ({ form }: Word) => fold(form) === form && !/[^\p{L}\p{N}\p{M}]|[^\P{ASCII}a-z0-9]/u.test(form);
    expect(Array.from(words(all)).filter((word) => !isLegal(word))).toEqual([]);
  });

  it('is the same for a text and its decomposition', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const short = forms(text).filter((form) => form.length < 64);
        expect(forms(text.normalize('NFD')).filter((form) => form.length < 64)).toEqual(short);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a truncated text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['a😀', 2, 'a'],
    ['a😀', 3, 'a😀'],
    ['😀', 0, ''],
    ['a\ud83d', 2, 'a\ud83d'],
    ['a\ud83db', 2, 'a\ud83d'],
    ['\ude00\ude00', 1, '\ude00'],
  ])('of %j to %d is %j', (text, length, expected) => {
    expect(cut(text, length)).toBe(expected);
  });
});
