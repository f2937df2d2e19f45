/** The values of a JSON text, one after the other; of a large one what is asked for. */
import { JsonSplitter, type Cut } from './json-splitter.js';
import { parseValue, type ParsedValue } from './parsed-value.js';
import { UnreadableError } from './unreadable.js';
import { asUtf8 } from './utf8-text.js';

/** A value with the place where it stands, or why there is none. A value may be used until the next one is asked for. */
export type FoundValue = { place: string } & (ParsedValue | { fault: string });

/** Bytes that are looked at in one go. */
const PIECE = 256 * 1024;

/** @throws UnreadableError when the text cannot be JSON of conversations at all */
export async function* findValues(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FoundValue> {
  const splitter = new JsonSplitter();
  try {
    for await (const chunk of asUtf8(bytes)) {
      for (let start = 0; start < chunk.length; start += PIECE) {
        splitter.write(chunk.subarray(start, start + PIECE));
        yield* parsed(splitter.cuts);
        if (splitter.isEnded) return;
      }
    }
    splitter.end();
    yield* parsed(splitter.cuts);
  } finally {
    splitter.close();
  }
}

function* parsed(cuts: Cut[]): Generator<FoundValue> {
  for (let cut = cuts.shift(); cut !== undefined; cut = cuts.shift()) {
    if ('fault' in cut) {
      yield cut;
      continue;
    }
    const { place, text, lazy } = cut;
    try {
      yield { place, ...parseValue(text, lazy) };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      yield { place, fault: error.message };
    } finally {
      text.close();
    }
  }
}
