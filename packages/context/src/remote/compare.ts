import { toPlace } from '../store/asked-options.js';
import type { ComparisonData, PlaceData } from '../store/store-data.js';
import { COMPARE } from './operations.js';
import { toMessageData, type MessageRow } from './rows.js';
import type { ServerCalls } from './server-calls.js';

type ComparisonRow = Omit<ComparisonData, 'base' | 'head' | 'commonAncestor'> & {
  base: MessageRow;
  head: MessageRow;
  commonAncestor: MessageRow | null;
};

/** See ContextStore.compare. */
export async function compare(
  calls: ServerCalls,
  chatId: string,
  base: PlaceData,
  head: PlaceData,
): Promise<ComparisonData | null> {
  const places = { base: toPlace(base, 'base'), head: toPlace(head, 'head') };
  const { compare: row } = await calls.ofChat<{ compare: ComparisonRow | null }>(COMPARE, { chatId, ...places });
  if (row === null) return null;
  return {
    ...row,
    base: toMessageData(row.base, chatId),
    head: toMessageData(row.head, chatId),
    commonAncestor: row.commonAncestor && toMessageData(row.commonAncestor, chatId),
  };
}
