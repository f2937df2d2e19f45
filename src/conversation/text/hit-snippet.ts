import { snippet } from '../../search/snippet.js';
import { messageText } from './message-text.js';
import type { Hit } from '../reads.js';

/**
 * The stretch of a message around what a search has found in it, as HTML: see snippet. It is made of a text that may have a
 * megabyte, in this thread: so in steps of a few milliseconds.
 * @param beginStep called before each step, which reads 1,000 words of the text at most, and waited for
 */
export async function hitSnippet(
  { message, query }: Pick<Hit, 'message' | 'query'>,
  beginStep: () => Promise<void>,
): Promise<string> {
  await beginStep();
  const steps = snippet(messageText(JSON.parse(message.data)), query);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await beginStep();
  }
}
