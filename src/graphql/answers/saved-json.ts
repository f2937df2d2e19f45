/** Saved JSON in an answer: parsed once for each row of an operation, long JSON in turns with other work in between. */
import { parsedBytes } from '../../limits/content-budget.js';
import type { Context } from '../context.js';
import { beginWork } from '../limits/begin-work.js';
import { rememberLength } from '../limits/json-length.js';

/** Characters of JSON that are parsed without a turn of their own. */
const SHORT = 1_024;

/** Characters of JSON that are one unit of work. */
const CHARACTERS_PER_UNIT = 1_024;

/**
 * Makes a value from the JSON of a row, which is parsed at its first use in an operation.
 * @param make called with the parsed value
 * @throws TooLargeError, OverloadedError when the operation reads too much
 */
export function fromJson<T>(
  row: object,
  json: string,
  context: Pick<Context, 'content' | 'viewer' | 'loaders'>,
  make: (value: unknown) => T,
): T | Promise<T> {
  const parsed = context.loaders.derived.get(row, 'json', () => parseInTurn(json, context));
  return parsed instanceof Promise ? parsed.then(make) : make(parsed);
}

/** Parses JSON, which is counted first. */
export function parseInTurn(json: string, context: Pick<Context, 'content' | 'viewer'>): unknown {
  const { content } = context;
  const parse = (): unknown => {
    // The operation may have been refused while this waited.
    content?.check();
    content?.take(parsedBytes(json));
    const value: unknown = JSON.parse(json);
    rememberLength(value, json.length);
    return value;
  };
  const turn = json.length < SHORT ? null : beginWork(json.length / CHARACTERS_PER_UNIT, context);
  return turn === null ? parse() : turn.then(parse);
}
