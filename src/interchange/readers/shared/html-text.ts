const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const ENTITY = /&(#x?[0-9a-f]+|[a-z]+);/gi;

/** The words of simple HTML, a line for each block: to be read and found, the HTML itself is kept beside it. */
export function htmlText(html: string): string {
  return html
    .replace(/<(?:script|style)\b[\s\S]*?<\/(?:script|style)>/gi, '')
    .replace(/\s*<(?:br|\/p|\/div|\/li|\/h\d|\/tr|\/pre)\b[^>]*>\s*/gi, '\n')
    .replace(/<\/t[dh]>\s*(?=<t[dh]\b)/gi, '\t')
    .replace(/<li\b[^>]*>/gi, '- ')
    .replace(/<[^<>]*>/g, '')
    .replace(ENTITY, unescaped)
    .trim();
}

/** A text that was escaped to stand in HTML. */
export function unescapedHtml(text: string): string {
  return text.replace(ENTITY, unescaped);
}

function unescaped(whole: string, name: string): string {
  return entity(name) ?? whole;
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  // No surrogates, and no zero: neither can be stored.
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
}
