import type { ConversationReads, SummaryKey } from '../../conversation/reads.js';
import type { Reader } from './reader.js';
import { byKey, type Keyed } from './rows.js';

/** Summaries of a chat that are compared with a path at once; the first comparison has one. */
const MAX_CANDIDATES = 512;

interface SummaryRow extends Keyed {
  id: string;
  seq: number;
}

/** See ConversationReads.newestSummaries. Summaries on other branches are newer at times: these are read on, in growing steps. */
export async function newestSummaries(
  { sql, rows }: Reader,
  { messages, placesOnPaths }: Pick<ConversationReads, 'messages' | 'placesOnPaths'>,
  keys: readonly SummaryKey[],
): ReturnType<ConversationReads['newestSummaries']> {
  const found = keys.map(({ chatId }) => ({ chatId, id: '' }));
  let open = keys.map((key, index) => ({ ...key, index }));
  for (let count = 1; open.length > 0; count = Math.min(8 * count, MAX_CANDIDATES)) {
    const lists = byKey(
      await rows<SummaryRow>(sql.newestSummaries(open, count), open.length * count),
      open,
      (row) => row,
    );
    const candidates = open.flatMap(({ chatId, headId, index }, n) =>
      (lists[n] ?? []).map(({ id, seq }) => ({ chatId, headId, messageId: id, seq, index })),
    );
    const places = candidates.length === 0 ? [] : await placesOnPaths(candidates);
    const onPath = candidates.filter((_, n) => places[n] != null).sort((a, b) => a.seq - b.seq);
    for (const { chatId, messageId, index } of onPath) found[index] = { chatId, id: messageId };
    open = open.flatMap((key, n) => {
      const list = lists[n] ?? [];
      if (found[key.index]?.id !== '' || list.length < count) return [];
      return [{ ...key, beforeSeq: Math.min(...list.map(({ seq }) => seq)) }];
    });
  }
  return messages(found);
}
