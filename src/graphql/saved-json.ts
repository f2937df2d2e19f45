/** JSON that was saved, in an answer: long JSON is parsed when there is time for it, with others in between. */
import { completions } from '../scheduler/event-loop-slots.js';
import { parsedBytes } from '../limits/content-budget.js';
import type { Context } from './context.js';

/** What takes no time to parse, in characters: it waits with the list that it is in. */
const SHORT = 1_024;

/**
 * What is made of some JSON: at once of short JSON, and of long JSON when there is time. It counts before.
 * @param make gets its value
 * @throws TooLargeError, OverloadedError when the operation takes too much
 */
export function fromJson<T>(
  json: string,
  { content, viewer }: Pick<Context, 'content' | 'viewer'>,
  make: (value: unknown) => T,
): T | Promise<T> {
  content?.take(json.length);
  const parse = () => {
    // Nothing is looked at any more of what was refused while this has waited.
    content?.check();
    content?.take(parsedBytes(json) - json.length);
    return make(JSON.parse(json));
  };
  return json.length < SHORT ? parse() : (completions.beginCompletion(viewer.userId)?.then(parse) ?? parse());
}
