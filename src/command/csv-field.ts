/** A field of RFC 4180. A text that a spreadsheet would execute as a formula begins with an apostrophe. */
export function csvField(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
