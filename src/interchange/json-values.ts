/**
 * The conversations of a JSON text, one after the other: the elements of an array, the objects of a file with one a
 * line, or the one object that the text is. At most one of them is in memory, with the piece of the text that is read.
 */
import { JSONParser } from '@streamparser/json';
import { readLines, type Line } from './lines.js';
import { UnreadableError } from './unreadable.js';

/** A value with the place where it stands, or why there is none. */
export type FoundValue = { place: string } & ({ value: unknown } | { fault: string });

/** @throws UnreadableError when the text cannot be JSON of conversations at all */
export async function* findValues(bytes: AsyncIterable<Buffer>): AsyncGenerator<FoundValue> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    const { first, text } = await atFirstCharacter(chunks);
    switch (first) {
      case '[':
        yield* elementsOf(text);
        return;
      case '{':
        yield* objectsOf(text);
        return;
      case '':
        throw new UnreadableError('There is nothing in it');
      default:
        throw new UnreadableError('It is not JSON of conversations: it begins with neither [ nor {');
    }
  } finally {
    // Reading may end before the file does.
    await chunks.return?.();
  }
}

/** A byte order mark, white space, and the first character after them, in bytes read as Latin-1. */
const BEGINNING = /^(\xef\xbb\xbf|(?!\xef\xbb\xbf))[ \t\r\n]*([^ \t\r\n])/;

/** The first character that is no white space, '' when there is none, and the text without a byte order mark. */
async function atFirstCharacter(
  chunks: AsyncIterator<Buffer>,
): Promise<{ first: string; text: AsyncIterable<Buffer> }> {
  let start = Buffer.alloc(0);
  let beginning: RegExpExecArray | null = null;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    start = Buffer.concat([start, next.value]);
    beginning = start.length < 3 ? null : BEGINNING.exec(start.toString('latin1'));
    if (beginning !== null) break;
  }
  beginning ??= BEGINNING.exec(start.toString('latin1'));
  async function* text(): AsyncGenerator<Buffer> {
    // The white space stays, because lines are counted.
    yield start.subarray(beginning?.[1]?.length ?? 0);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  return { first: beginning?.[2] ?? '', text: text() };
}

async function* elementsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<FoundValue> {
  let number = 0;
  const place = () => `conversation ${number}`;
  for await (const found of parsed(bytes, '$.*')) {
    number++;
    yield 'fault' in found
      ? { place: place(), fault: `${found.fault}; nothing after it was read` }
      : { place: place(), ...found };
  }
}

/**
 * One object a line, or one object over several lines. In the latter the first line is no JSON of its own, and no
 * object begins on the second.
 */
async function* objectsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<FoundValue> {
  const lines = readLines(bytes);
  const first = await nextLine(lines);
  if (first === null) return;
  const found = readLine(first);
  const second = 'fault' in found ? await nextLine(lines) : null;
  if (second !== null && !second.text.startsWith('{')) {
    const text = joined([first, second], lines);
    for await (const value of parsed(text, '$')) yield { place: 'the conversation', ...value };
    return;
  }
  yield found;
  if (second !== null) yield readLine(second);
  for await (const line of lines) yield readLine(line);
}

async function nextLine(lines: AsyncGenerator<Line, void>): Promise<Line | null> {
  return (await lines.next()).value ?? null;
}

async function* joined(first: readonly Line[], rest: AsyncIterable<Line>): AsyncGenerator<string> {
  for (const line of first) yield `${line.text}\n`;
  for await (const line of rest) yield `${line.text}\n`;
}

function readLine({ number, text }: Line): FoundValue {
  const place = `line ${number}`;
  try {
    return { place, value: JSON.parse(text) };
  } catch (error) {
    return { place, fault: notJson(error) };
  }
}

/** The values at a path; a syntax error is the last one. What was complete before it comes all the same. */
async function* parsed(
  text: AsyncIterable<Buffer | string>,
  path: string,
): AsyncGenerator<{ value: unknown } | { fault: string }> {
  const parser = new JSONParser({ paths: [path], keepStack: false });
  const complete: unknown[] = [];
  parser.onValue = ({ value }) => complete.push(value);
  const attempt = (step: () => void): string | null => {
    try {
      step();
      return null;
    } catch (error) {
      return notJson(error);
    }
  };
  let fault: string | null = null;
  for await (const piece of text) {
    fault = attempt(() => parser.write(piece));
    for (const value of complete.splice(0)) yield { value };
    if (fault !== null) break;
  }
  // A number or the like may be complete only at the end of the text.
  fault ??= parser.isEnded ? null : attempt(() => parser.end());
  if (fault !== null) yield { fault };
}

function notJson(error: unknown): string {
  return `it is not JSON: ${error instanceof Error ? error.message : String(error)}`;
}
