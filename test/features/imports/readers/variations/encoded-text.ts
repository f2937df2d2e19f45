/** Text in the encodings that TextDecoder reads. */

/** The bytes of each character with one or two bytes; others become a question mark. */
function bytesOfCharacters(encoding: string): Map<string, readonly number[]> {
  const bytes = new Map<string, readonly number[]>();
  const add = (...each: number[]) => {
    // Streamed, because some versions of Node decode a whole text in windows-1252 as Latin-1.
    const character = new TextDecoder(encoding).decode(Buffer.from(each), { stream: true });
    if (character.length === 1 && character !== '\ufffd' && !bytes.has(character)) bytes.set(character, each);
  };
  for (let one = 0; one < 0x100; one++) add(one);
  if (encoding.startsWith('windows-') || encoding.startsWith('koi8-')) return bytes;
  for (let one = 0x81; one < 0xff; one++) for (let two = 0x40; two < 0xff; two++) add(one, two);
  return bytes;
}

const tables = new Map<string, Map<string, readonly number[]>>();

export function encodedAs(encoding: string, text: string): Buffer {
  const table = tables.get(encoding) ?? bytesOfCharacters(encoding);
  tables.set(encoding, table);
  return Buffer.from(Array.from(text).flatMap((character) => table.get(character) ?? [0x3f]));
}
