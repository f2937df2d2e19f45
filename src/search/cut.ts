/** The beginning of a text, at most `length` UTF-16 units, without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const splitsPair = isHighSurrogate(text.charCodeAt(length - 1)) && isLowSurrogate(text.charCodeAt(length));
  return text.slice(0, splitsPair ? length - 1 : length);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
