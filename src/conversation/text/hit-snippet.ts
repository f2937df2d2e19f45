import type { Excerpt } from '../../search/excerpt.js';
import { snippet } from '../../search/snippet.js';
import { shownText } from './message-text.js';
import type { Hit } from '../reads.js';

/**
 * The snippet of a message around its hits: see snippet. Texts have up to a megabyte, so the work is split into
 * steps of a few milliseconds.
 * @param beginStep awaited before each step, which reads at most 1,000 words
 */
export async function hitSnippet(
  { message, query }: Pick<Hit, 'message' | 'query'>,
  beginStep: () => Promise<void>,
): Promise<Excerpt> {
  await beginStep();
  const steps = snippet(shownText(JSON.parse(message.data)), query);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await beginStep();
  }
}
