/** What people see as one: a letter with its accents, an emoji of several, a flag. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** How much of a text is looked at to find the end of its first character. */
const LONGEST_CHARACTER = 64;
/** Before it stand letters and signs that join nothing; from it on accents do. */
const FIRST_ACCENT = 0x300;

/**
 * The beginning of a text: so many code points, or as many fewer as it takes not to cut in two what people see as one
 * character; but for the first one, which stays whole.
 * @param count at least 1
 */
export function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let n = 0; n < count && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  if (end >= text.length) return text;
  if (isWholeAt(text, end)) return text.slice(0, end);
  // Where a character ends, what follows it says.
  const start = graphemes.segment(text.slice(0, end + 2)).containing(end)?.index ?? 0;
  if (start > 0) return text.slice(0, start);
  return graphemes.segment(text.slice(0, end + LONGEST_CHARACTER)).containing(0)?.segment ?? '';
}

/** Whether it can be told at a glance that a text may be cut there: that takes a hundredth of the time. */
function isWholeAt(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) < FIRST_ACCENT && text.charCodeAt(end) < FIRST_ACCENT && text[end] !== '\n';
}
