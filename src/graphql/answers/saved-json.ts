/** Saved JSON in an answer: long JSON is parsed in turns with other work in between. */
import { completions } from '../../scheduler/event-loop-slots.js';
import { parsedBytes } from '../../limits/content-budget.js';
import type { Context } from '../context.js';

/** Characters of JSON that are parsed without a separate turn of the event loop. */
const SHORT = 1_024;

/**
 * Makes a value from JSON: short JSON at once, long JSON in its turn. The content is counted first.
 * @param make called with the parsed value
 * @throws TooLargeError, OverloadedError when the operation reads too much
 */
export function fromJson<T>(
  json: string,
  { content, viewer }: Pick<Context, 'content' | 'viewer'>,
  make: (value: unknown) => T,
): T | Promise<T> {
  content?.take(json.length);
  const parse = () => {
    // The operation may have been refused while this waited.
    content?.check();
    content?.take(parsedBytes(json) - json.length);
    return make(JSON.parse(json));
  };
  return json.length < SHORT ? parse() : (completions.beginCompletion(viewer.userId)?.then(parse) ?? parse());
}
