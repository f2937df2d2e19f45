/**
 * Escapes one line of text, so that Markdown reads from it just this text, with GFM or without.
 *
 * Of our own: what is published for it leaves alone the white space at the end of a paragraph, a single CR, U+00A0 and the
 * like at the edges, and a line break at the end, and parsers then drop or change them.
 *
 * @param line without line feeds
 * @param startsLine whether it stands where a heading, a list or another block could begin
 */
export function escapeLine(line: string, startsLine: boolean): string {
  // Most lines have nothing in them that could mean something.
  if (/^[\p{L}\p{N}][\p{L}\p{N} ,.;:?()'"/%]*[\p{L}\p{N}.?)]$|^$/u.test(line))
    return startsLine ? escapeBlockStart(line) : line;
  const inline = line
    // Escapes, code, emphasis, links, and what GFM adds: strikethrough and tables.
    .replace(/[\\`*[~|]/g, '\\$&')
    // HTML and autolinks; 1 < 2 stays as it is.
    .replace(/<(?=[A-Za-z/!?]|[^\s<>]*@)/g, '\\<')
    // Character references; R&D stays as it is.
    .replace(/&(?=#?[0-9A-Za-z]+;)/g, '\\&')
    .replace(/_+/g, escapeUnderscores)
    // After all that, for this puts references in.
    .replaceAll('\r', reference);
  return escapeEdges(startsLine ? escapeBlockStart(inline) : inline);
}

/**
 * The same for a text that must stay in one line, as in a heading: line feeds become references, and what could be taken
 * for the closing sequence of a heading, a # at the end, is escaped.
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
      // Thematic breaks, underlines that make a heading of the line above, and the second line of a table.
      .replace(/^(?:=(?==*[ \t]*$)|[-:](?=[-: \t]*$))/, '\\$&')
  );
}

/** Parsers drop white space at the edges of lines, each with an idea of its own what that is; references stay. */
function escapeEdges(line: string): string {
  return line.replace(/^\s/, reference).replace(/\s$/, reference);
}

function reference(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
