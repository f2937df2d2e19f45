/**
 * Escapes one line of text, so that Markdown reads exactly this text from it, with GFM or without. Published libraries
 * leave white space at edges and single CRs unescaped, which parsers drop or change.
 * @param line without line feeds
 * @param startsLine whether a heading, a list or another block could begin here
 */
export function escapeLine(line: string, startsLine: boolean): string {
  // Most lines have no character with a meaning.
  if (/^[\p{L}\p{N}][\p{L}\p{N} ,.;:?()'"/%]*[\p{L}\p{N}.?)]$|^$/u.test(line))
    return startsLine ? escapeBlockStart(line) : line;
  const inline = line
    // Escapes, code, emphasis, links, and GFM's strikethrough and tables.
    .replace(/[\\`*[~|]/g, '\\$&')
    // HTML and autolinks; 1 < 2 stays as it is.
    .replace(/<(?=[A-Za-z/!?]|[^\s<>]*@)/g, '\\<')
    // Character references; R&D stays as it is.
    .replace(/&(?=#?[0-9A-Za-z]+;)/g, '\\&')
    .replace(/_+/g, escapeUnderscores)
    // Last, because it inserts references.
    .replaceAll('\r', reference);
  return escapeEdges(startsLine ? escapeBlockStart(inline) : inline);
}

/**
 * Escapes a text that must stay in one line, as in a heading: line feeds become references, and a # at the end, which
 * could close a heading, is escaped.
 */
export function escapeInOneLine(text: string): string {
  return escapeLine(text, false)
    .replaceAll('\n', reference)
    .replace(/(?<=^|[ \t])#+$/, '\\$&');
}

/** Within a word, as in snake_case, underscores are no emphasis. */
function escapeUnderscores(run: string, at: number, line: string): string {
  const isWithinWord =
    /[\p{L}\p{N}]$/u.test(line.slice(Math.max(0, at - 2), at)) &&
    /^[\p{L}\p{N}]/u.test(line.slice(at + run.length, at + run.length + 2));
  return isWithinWord ? run : run.replaceAll('_', '\\_');
}

function escapeBlockStart(line: string): string {
  return (
    line
      // Headings and quotes.
      .replace(/^(?:#{1,6}(?=[ \t]|$)|>)/, '\\$&')
      // List items.
      .replace(/^[-+](?=[ \t]|$)/, '\\$&')
      .replace(/^(\d{1,9})([.)])(?=[ \t]|$)/, '$1\\$2')
      // Thematic breaks, underlines that make the line above a heading, and the second line of a table.
      .replace(/^(?:=(?==*[ \t]*$)|[-:](?=[-: \t]*$))/, '\\$&')
  );
}

/** Parsers drop different white space at the edges of lines; references stay. */
function escapeEdges(line: string): string {
  return line.replace(/^\s/, reference).replace(/\s$/, reference);
}

function reference(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
