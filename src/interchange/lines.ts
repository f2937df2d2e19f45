export interface Line {
  /** From 1. */
  number: number;
  text: string;
}

const NEWLINE = 0x0a;

/** The lines of UTF-8 text that are not blank. Holds one line at a time. */
export async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line, void> {
  let pieces: Buffer[] = [];
  let number = 0;
  const endLine = (): Line => {
    const text = Buffer.concat(pieces).toString('utf8').trim();
    pieces = [];
    return { number: ++number, text };
  };
  for await (const chunk of bytes) {
    let start = 0;
    // A newline is never part of a longer character in UTF-8.
    for (let end; (end = chunk.indexOf(NEWLINE, start)) !== -1; start = end + 1) {
      pieces.push(chunk.subarray(start, end));
      const line = endLine();
      if (line.text !== '') yield line;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  const last = endLine();
  if (last.text !== '') yield last;
}
