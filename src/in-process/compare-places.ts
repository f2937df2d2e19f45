import type { ComparisonData, PlaceData } from '@parley/context';
import { isPossibleId } from '../conversation/bounds.js';
import { differences } from '../conversation/comparison.js';
import type { Message } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import { toMessageData } from './rows.js';

/** Compares two places of a chat that the caller may read; null if one is missing. */
export async function comparePlaces(
  reads: ConversationReads,
  chatId: string,
  places: readonly [base: PlaceData, head: PlaceData],
): Promise<ComparisonData | null> {
  const [base, head] = await Promise.all(places.map((place) => messageAt(reads, chatId, place)));
  if (base == null || head == null) return null;
  const [commonAncestor = null] = await reads.commonAncestors([{ chatId, baseId: base.id, headId: head.id }]);
  return {
    ...differences({ base, head, commonAncestor }),
    base: toMessageData(base),
    head: toMessageData(head),
    commonAncestor: commonAncestor && toMessageData(commonAncestor),
  };
}

async function messageAt(
  reads: ConversationReads,
  chatId: string,
  { branch, checkpoint, messageId }: PlaceData,
): Promise<Message | null> {
  const name = branch ?? checkpoint ?? messageId ?? '';
  if (!isPossibleId(name)) return null;
  let id: string | null | undefined = messageId;
  if (branch !== undefined) id = (await reads.branchesByName([{ chatId, name }]))[0]?.headMessageId;
  if (checkpoint !== undefined) id = (await reads.checkpointsByName([{ chatId, name }]))[0]?.messageId;
  const [message = null] = id == null ? [] : await reads.messages([{ chatId, id }]);
  return message;
}
