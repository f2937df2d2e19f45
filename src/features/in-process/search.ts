import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchResult } from '@parley/context';
import { isPossibleId } from '../../conversation/bounds.js';
import { hitSnippet } from '../../conversation/text/hit-snippet.js';
import { markedHtml } from '../../search/excerpt.js';
import type { ConversationReads } from '../../conversation/reads.js';
import { cut } from '../../search/cut.js';
import { MAX_QUERY_LENGTH } from '../../search/query.js';
import { toMessageData } from './rows.js';

/** Search hits in a chat, or in the chats of a user, best first. */
export async function search(
  reads: ConversationReads,
  { chatId, userId = null }: { chatId: string; userId?: null } | { chatId?: undefined; userId: string },
  {
    query,
    names,
    first,
    includeShared = false,
  }: { query: string; names: readonly string[] | undefined; first: number; includeShared?: boolean },
): Promise<SearchResult[]> {
  const possibleNames = names?.filter(isPossibleId) ?? null;
  if (possibleNames?.length === 0) return [];
  const asked = {
    query: cut(query, MAX_QUERY_LENGTH),
    userId,
    includeShared,
    names: possibleNames,
    first,
    after: null,
  };
  const hits = chatId === undefined ? await reads.hits(asked) : (await reads.hitPages([chatId], asked))[0];
  const found: SearchResult[] = [];
  for (const hit of hits?.rows ?? []) {
    found.push({
      message: toMessageData(hit.message),
      rank: hit.rank,
      snippet: markedHtml(await hitSnippet(hit, () => nextTurn())),
    });
  }
  return found;
}
