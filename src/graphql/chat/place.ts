import { isPossibleId } from '../../conversation/bounds.js';
import type { Message } from '../../conversation/model.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { messageOrNull } from '../answers/references.js';

/** One of its members. */
export interface Place {
  branch?: string | undefined;
  checkpoint?: string | undefined;
  messageId?: string | undefined;
}

export const placeInput = builder.inputType('PlaceInput', {
  isOneOf: true,
  description: 'A message of a chat: the head of a branch, the message of a checkpoint, or a message by id.',
  fields: (t) => ({
    branch: t.string({ description: 'The name of the branch.' }),
    checkpoint: t.string({ description: 'The name of the checkpoint.' }),
    messageId: t.id({ description: 'The id of the message.' }),
  }),
});

/** The messages of places in a chat that the viewer may read; null for a missing place, and for an empty branch. */
export async function messagesAt(
  chatId: string,
  places: readonly Place[],
  context: Context,
): Promise<(Message | null)[]> {
  // All ids first, so that one statement reads the messages.
  const ids = await Promise.all(places.map((place) => messageIdAt(chatId, place, context)));
  return Promise.all(ids.map(async (id) => messageOrNull(chatId, id, context)));
}

async function messageIdAt(chatId: string, place: Place, { loaders }: Context): Promise<string | null> {
  const name = place.messageId ?? place.branch ?? place.checkpoint ?? '';
  if (!isPossibleId(name)) return null;
  if (place.messageId != null) return name;
  if (place.branch != null) return (await loaders.branchByName.load({ chatId, name }))?.headMessageId ?? null;
  return (await loaders.checkpointByName.load({ chatId, name }))?.messageId ?? null;
}
