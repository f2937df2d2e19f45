import type { ChatItem } from '@parley/client';
import { ListChats } from '@parley/client/operations';
import { useAnswer } from '../requests/use-answer.js';
import { useKept } from './deletion.js';

const MAX_TITLED = 8;
const MAX_TITLE_LENGTH = 250;
const DELAY_MS = 150;

const NONE: readonly ChatItem[] = [];

/** The newest chats of the server with these words in their titles, while the user types the last one. */
export function useTitled(query: string): readonly ChatItem[] {
  const words = query.trim().slice(0, MAX_TITLE_LENGTH);
  const title = /[\p{L}\p{N}]$/u.test(words) ? `${words}*` : words;
  const variables = words === '' ? null : { first: MAX_TITLED, filter: { title } };
  const answer = useAnswer(ListChats, variables, { delayMs: DELAY_MS, of: words === '' ? '' : 'titles' });
  return useKept(answer?.chats.edges.map(({ node }) => node) ?? NONE);
}
