/**
 * Latin letters that Unicode does not take apart into a plain letter and a mark, though a reader would; and the sigma
 * that stands at the end of a word.
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

/** Diacritics, what is never seen (variation selectors), and what compatibility forms bring in: the bar of ½. */
const DROPPED = /[\u0300-\u036f\p{Default_Ignorable_Code_Point}]|[^\p{L}\p{N}\p{M}]/gu;

/** Marks that lost their letter: some Arabic presentation forms are a space and a mark. */
const LEADING_MARKS = /^\p{M}+/u;

/** Most words of most texts are folded already: small ASCII, and the common kana, Han and Hangul. */
const IS_FOLDED = /^[a-z0-9\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;

/**
 * The spelling under which a word is found: without diacritics, case, width and ligatures (`Straße` is `strasse`, `ｶﾞ`
 * is `ガ`). Folding twice changes nothing more.
 *
 * @param word letters, digits and marks; short, because marks without end take normalization quadratic time to sort
 * @returns letters, digits and marks, in NFC; of ASCII only a-z and 0-9; '' when nothing is left
 */
export function fold(word: string): string {
  if (IS_FOLDED.test(word)) return word;
  const bare = word.normalize('NFKD').replace(DROPPED, '').normalize('NFC');
  return foldCase(bare)
    .replace(HAS_PLAIN_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(LEADING_MARKS, '');
}

/** JavaScript has no case folding. Its large letters make ß SS and ı I; ẞ, large already, has to be small first. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
