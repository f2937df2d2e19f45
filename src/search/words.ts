import { stemmer } from 'stemmer';
import { cut } from './cut.js';
import { fold } from './fold.js';

/** One word of a text. Chinese, Japanese and Korean, which has none to see, is cut into overlapping pairs instead. */
export interface Word {
  /** A character stands alone where no other is beside it to make a pair. */
  readonly kind: 'word' | 'pair' | 'character';
  /** Where it is in the text, in UTF-16 units: from `start` up to, not including, `end`. */
  readonly start: number;
  readonly end: number;
  /** Its folded spelling: 1 to 64 UTF-16 units of letters, digits and marks. */
  readonly form: string;
  /** What its inflections have in common: the Porter stem of a form of a-z alone, of any other the form itself. */
  readonly stem: string;
}

type Run = Pick<Word, 'kind' | 'start' | 'end'>;

/** The longest form, in UTF-16 units: more is a hash or a line of Base64, told apart by less. */
const MAX_FORM_LENGTH = 64;
/** How much of a word is folded into its form; more than the form because decomposed letters shrink. */
const FOLDED_LENGTH = 512;

// Sets of characters, in the syntax of the flag v.
const LETTER = String.raw`[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]`;
const CJK_SCRIPT = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]`;
/** Letters that complete the character before them: vowels and finals of Hangul, halfwidth voicing marks of kana. */
const COMPLETING = String.raw`[\p{L}&&[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]]`;
const CJK = `[[${LETTER}&&${CJK_SCRIPT}]--${COMPLETING}]`;
const OTHER = `[${LETTER}--${CJK_SCRIPT}]`;

/** One character of Chinese, Japanese or Korean, which is captured, or one word of other scripts. */
const UNIT = new RegExp(String.raw`(${CJK}[\p{M}${COMPLETING}]*)|${OTHER}[${OTHER}\p{M}]*`, 'gv');

/**
 * The words of a text in their order, made one by one as they are asked for.
 *
 * A word is a run of letters and digits with their marks; everything else separates. `我用iPhone15手机啊` has the words
 * `我用`, `iphone15`, `手机`, `机啊`.
 */
export function* words(text: string): Generator<Word, void, undefined> {
  for (const { kind, start, end } of runs(text)) {
    const form = cut(fold(cut(text.slice(start, end), FOLDED_LENGTH)), MAX_FORM_LENGTH);
    // Nothing is left of a few signs that Unicode counts as letters.
    if (form === '') continue;
    yield { kind, start, end, form, stem: stemOf(form) };
  }
}

function* runs(text: string): Generator<Run, void, undefined> {
  /** The character before, alone unless it makes a pair with the one that it or the next one touches. */
  let character: Run | null = null;
  let isPaired = false;
  for (const { 0: unit, 1: captured, index: start } of text.matchAll(UNIT)) {
    const end: number = start + unit.length;
    const makesPair: boolean = captured !== undefined && character?.end === start;
    if (character !== null && makesPair) yield { kind: 'pair', start: character.start, end };
    else if (character !== null && !isPaired) yield character;
    if (captured === undefined) yield { kind: 'word', start, end };
    character = captured === undefined ? null : { kind: 'character', start, end };
    isPaired = makesPair;
  }
  if (character !== null && !isPaired) yield character;
}

/** Stems that are remembered: most texts are made of few words. */
const MAX_STEMS = 20_000;
const stems = new Map<string, string>();

function stemOf(form: string): string {
  const known = stems.get(form);
  if (known !== undefined) return known;
  if (!/^[a-z]+$/.test(form)) return form;
  const stem = stemmer(form);
  if (stems.size === MAX_STEMS) stems.clear();
  if (form.length <= MAX_REMEMBERED_LENGTH) stems.set(form, stem);
  return stem;
}

/** Longer ones are no words that come again. */
const MAX_REMEMBERED_LENGTH = 32;
