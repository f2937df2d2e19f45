/** The values of a text of JSON or of Takeout's HTML, one after the other. */
import { JsonSplitter, type Cut } from './json/json-splitter.js';
import type { LongDataUrls } from './json/long-data-urls.js';
import { parseValue, type FoundValue } from './json/parsed-value.js';
import { shownActivities } from './takeout/shown-activities.js';
import { UnreadableError } from '../file-values.js';
import { asUtf8 } from './utf8-text.js';

/** Bytes that are processed at once. */
const PIECE = 256 * 1024;

const WHITE_SPACE = new Set([0x09, 0x0a, 0x0d, 0x20]);
const LESS_THAN = 0x3c;
const MAX_WHITE_SPACE = 4096;

/**
 * @param longUrls keeps data URLs that are too long for memory; null truncates them
 * @param onDetected called with a sentence when the encoding of the text is not certain
 * @throws UnreadableError when the text can be neither JSON of conversations nor HTML of activities
 */
export async function* findValues(
  bytes: AsyncIterable<Uint8Array>,
  longUrls: LongDataUrls | null = null,
  onDetected?: (sentence: string) => void,
): AsyncGenerator<FoundValue> {
  const chunks = asUtf8(bytes, onDetected);
  const first = await firstOf(chunks);
  const isHtml = first.find((byte) => !WHITE_SPACE.has(byte)) === LESS_THAN;
  const all = following(first, chunks);
  yield* isHtml ? shownActivities(all) : jsonValues(all, longUrls);
}

/** The first chunk with more than white space. At most one chunk of white space is searched. */
async function firstOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let first = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    first = Buffer.concat([first, next.value]);
    if (first.length > MAX_WHITE_SPACE || first.some((byte) => !WHITE_SPACE.has(byte))) break;
  }
  return first;
}

async function* following(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* jsonValues(chunks: AsyncIterable<Buffer>, longUrls: LongDataUrls | null): AsyncGenerator<FoundValue> {
  const splitter = new JsonSplitter(longUrls);
  try {
    for await (const chunk of chunks) {
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
