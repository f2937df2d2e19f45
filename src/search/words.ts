import { stemmer } from 'stemmer';
import { cut } from './cut.js';
import { fold } from './fold.js';

/** A word of a text. Chinese, Japanese and Korean are split into overlapping pairs of characters instead. */
export interface Word {
  /** `character`: one without a neighbour to form a pair with. */
  readonly kind: 'word' | 'pair' | 'character';
  /** Position in the text in UTF-16 units, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Its folded spelling: 1 to 64 UTF-16 units of letters, digits and marks. */
  readonly form: string;
  /** Shared by its inflections: the Porter stem of a form of a-z only, otherwise the form itself. */
  readonly stem: string;
}

type Run = Pick<Word, 'kind' | 'start' | 'end'>;

/** Maximum length of a form in UTF-16 units: longer runs are hashes or Base64, which differ earlier. */
const MAX_FORM_LENGTH = 64;
/** UTF-16 units of a word that are folded into its form: decomposed letters shrink. */
const FOLDED_LENGTH = 512;

// Sets of characters, in the syntax of the flag v.
const LETTER = String.raw`[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]`;
const CJK_SCRIPT = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]`;
/** Letters that complete the character before them: vowels and finals of Hangul, halfwidth voicing marks of kana. */
const COMPLETING = String.raw`[\p{L}&&[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]]`;
const CJK = `[[${LETTER}&&${CJK_SCRIPT}]--${COMPLETING}]`;
const OTHER = `[${LETTER}--${CJK_SCRIPT}]`;

/** A captured character of Chinese, Japanese or Korean, or a word of other scripts. */
const UNIT = new RegExp(String.raw`(${CJK}[\p{M}${COMPLETING}]*)|${OTHER}[${OTHER}\p{M}]*`, 'gv');

/**
 * Yields the words of a text in order.
 *
 * A word is a run of letters and digits with their marks; everything else separates. `我用iPhone15手机啊` has the words
 * `我用`, `iphone15`, `手机`, `机啊`.
 */
export function* words(text: string): Generator<Word, void, undefined> {
  for (const { kind, start, end } of runs(text)) {
    const form = cut(fold(cut(text.slice(start, end), FOLDED_LENGTH)), MAX_FORM_LENGTH);
    // Folding removes a few signs that Unicode counts as letters.
    if (form === '') continue;
    yield { kind, start, end, form, stem: stemOf(form) };
  }
}

function* runs(text: string): Generator<Run, void, undefined> {
  /** The previous character; yielded alone unless it forms a pair with a neighbour. */
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

/** Maximum number of cached stems: most texts repeat few words. */
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

/** Maximum length of a form whose stem is cached: longer forms rarely repeat. */
const MAX_REMEMBERED_LENGTH = 32;
