import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchResult } from '@parley/context';
import { isPossibleId } from '../conversation/bounds.js';
import { hitSnippet } from '../conversation/text/hit-snippet.js';
import type { ConversationReads } from '../conversation/reads.js';
import { cut } from '../search/cut.js';
import { MAX_QUERY_LENGTH } from '../search/query.js';
import { toMessageData } from './rows.js';

/** Search hits in a chat, best first. */
export async function searchChat(
  reads: ConversationReads,
  chatId: string,
  { query, names, first }: { query: string; names: readonly string[] | undefined; first: number },
): Promise<SearchResult[]> {
  const possibleNames = names?.filter(isPossibleId) ?? null;
  if (possibleNames?.length === 0) return [];
  const search = { query: cut(query, MAX_QUERY_LENGTH), userId: null, names: possibleNames, first, after: null };
  const [hits] = await reads.hitPages([chatId], search);
  const found: SearchResult[] = [];
  for (const hit of hits?.rows ?? []) {
    found.push({
      message: toMessageData(hit.message),
      rank: hit.rank,
      snippet: await hitSnippet(hit, () => nextTurn()),
    });
  }
  return found;
}
