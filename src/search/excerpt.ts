/** A range of a text in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A part of a text with collapsed whitespace, and its matches in order: neither overlapping nor adjacent. */
export interface Excerpt {
  readonly text: string;
  readonly matches: readonly Span[];
}

/** @param marks of the whole text; they end with the part */
export function excerptOf(text: string, shown: Span, marks: readonly Span[]): Excerpt {
  const matches: Span[] = [];
  let plain = '';
  let done = shown.start;
  for (const mark of merged(marks)) {
    const start = Math.max(mark.start, shown.start);
    const end = Math.min(mark.end, shown.end);
    if (start >= end) continue;
    plain += collapsed(text.slice(done, start));
    const match = collapsed(text.slice(start, end));
    matches.push({ start: plain.length, end: plain.length + match.length });
    plain += match;
    done = end;
  }
  return { text: plain + collapsed(text.slice(done, shown.end)), matches };
}

/** An excerpt as HTML, with <mark> around matches. */
export function markedHtml({ text, matches }: Excerpt): string {
  let html = '';
  let done = 0;
  for (const { start, end } of matches) {
    html += `${escaped(text.slice(done, start))}<mark>${escaped(text.slice(start, end))}</mark>`;
    done = end;
  }
  return html + escaped(text.slice(done));
}

function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const before = result.at(-1);
    if (before === undefined || span.start > before.end) result.push(span);
    else result.splice(-1, 1, { start: before.start, end: Math.max(before.end, span.end) });
  }
  return result;
}

/** Well-formed: a lone surrogate cannot be sent as UTF-8. */
const collapsed = (text: string): string => text.toWellFormed().replace(/\s+/g, ' ');

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
