/** A range of a text in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * A part of a text as HTML, with collapsed whitespace and <mark> around matches. Overlapping and adjacent marks are
 * merged, and marks end with the part.
 */
export function markedHtml(text: string, shown: Span, marks: readonly Span[]): string {
  let html = '';
  let done = shown.start;
  for (const mark of merged(marks)) {
    const start = Math.max(mark.start, shown.start);
    const end = Math.min(mark.end, shown.end);
    if (start >= end) continue;
    html += `${escaped(text.slice(done, start))}<mark>${escaped(text.slice(start, end))}</mark>`;
    done = end;
  }
  return html + escaped(text.slice(done, shown.end));
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
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
