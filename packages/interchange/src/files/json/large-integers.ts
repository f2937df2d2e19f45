/** Integers above 2^53, which JSON.parse rounds. */

const MAY_HAVE_SOME = /[\s:,[]-?[1-9]\d{15,}\s*[,}\]]/;
const INTEGERS = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g;

/** The JSON text with such integers as texts of their digits. */
export function withTextIntegers(json: string): string {
  if (!MAY_HAVE_SOME.test(json)) return json;
  const pieces: string[] = [];
  let start = 0;
  while (start < json.length) {
    const quote = json.indexOf('"', start);
    const end = quote === -1 ? json.length : quote;
    pieces.push(json.slice(start, end).replace(INTEGERS, (digits) => asText(digits)));
    start = quote === -1 ? end : endOfString(json, quote);
    pieces.push(json.slice(end, start));
  }
  return pieces.join('');
}

function asText(digits: string): string {
  return String(Number(digits)) === digits ? digits : `"${digits}"`;
}

function endOfString(json: string, quote: number): number {
  for (let end = json.indexOf('"', quote + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === '\\') before--;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return json.length;
}
