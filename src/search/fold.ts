/**
 * Latin letters that Unicode does not decompose into a plain letter and a mark, although readers do; and the final
 * sigma.
 */
const PLAIN_LETTERS: Record<string, string> = {
  æ: 'ae',
  ƀ: 'b',
  ð: 'd',
  đ: 'd',
  ǥ: 'g',
  ħ: 'h',
  ɨ: 'i',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  œ: 'oe',
  þ: 'th',
  ŧ: 't',
  ƶ: 'z',
  ς: 'σ',
};
const HAS_PLAIN_LETTER = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'gu');

/** Diacritics, invisible characters (variation selectors), and additions of compatibility forms: the bar of ½. */
const DROPPED = /[\u0300-\u036f\p{Default_Ignorable_Code_Point}]|[^\p{L}\p{N}\p{M}]/gu;

/** Marks without a letter: some Arabic presentation forms are a space and a mark. */
const LEADING_MARKS = /^\p{M}+/u;

/** Matches most words, which need no folding: lower-case ASCII, common kana, Han and Hangul. */
const IS_FOLDED = /^[a-z0-9\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;

/**
 * Folds a word for search: removes diacritics, case, width and ligatures (`Straße` becomes `strasse`, `ｶﾞ` becomes `ガ`).
 * Idempotent.
 *
 * @param word letters, digits and marks; short, because normalization sorts marks in quadratic time
 * @returns letters, digits and marks, in NFC; of ASCII only a-z and 0-9; '' when nothing is left
 */
export function fold(word: string): string {
  if (IS_FOLDED.test(word)) return word;
  const bare = word.normalize('NFKD').replace(DROPPED, '').normalize('NFC');
  return foldCase(bare)
    .replace(HAS_PLAIN_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(LEADING_MARKS, '');
}

/** JavaScript has no case folding. toUpperCase maps ß to SS and ı to I; ẞ must be lower-cased first. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
