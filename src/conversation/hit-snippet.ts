import { snippet } from '../search/snippet.js';
import { messageText } from './message-text.js';
import type { Hit } from './reads.js';

/** The stretch of a message around what a search has found in it, as HTML: see snippet. */
export function hitSnippet({ message, query }: Pick<Hit, 'message' | 'query'>): string {
  return snippet(messageText(JSON.parse(message.data)), query);
}
