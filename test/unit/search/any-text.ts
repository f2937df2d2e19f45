import fc from 'fast-check';

/** Words of many kinds, and separators. */
const WORDS = [
  ...['a', 'b', 'run', 'Running', 'shoes', 'SHOE', 'Straße', 'ΟΔΟΣ', 'İıſ', 'e\u0301', 'ﬁne', '½', '15', 'Ａ１', 'y'],
  ...['我', '用', '北京大学', 'か\u3099', 'ガ', 'ｶﾞ', 'ﾞ', 'ー', '한국', '한', 'ㅠ', '𠮷', '葛\u{e0100}', '\u3164'],
  ...['русский', 'हिन्दी', 'שָׁלוֹם', 'ﷺ', 'ﱞ', '𝒳', '\u0301', 'x'.repeat(70), '字'.repeat(70), '\u05b0'.repeat(9)],
];
const BETWEEN = [...Array.from(`. - ' _ % & * " `), ...['\n\n', '\u3000', ', ', ' -', ' "', '* ', '<b>', ' ', ' ']];
const ODD = ['\ud800', '\udc00', '\0', '\ufe0f', '❤️', '\u200d', '…'];

const pieces = fc.array(fc.constantFrom(...WORDS, ...BETWEEN, ...ODD), { maxLength: 60 });
const characters = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { maxLength: 40 });
const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });

/** Text of many kinds: pieces as above, any Unicode characters, and malformed UTF-16. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: pieces.map((each) => each.join('')) },
  { weight: 1, arbitrary: characters.map((each) => each.join('')) },
  { weight: 1, arbitrary: units.map((each) => String.fromCharCode(...each)) },
);
