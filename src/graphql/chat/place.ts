import { isPossibleId } from '../../conversation/bounds.js';
import type { Branch, Checkpoint, Message } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import type { Context } from '../context.js';
import { messageOrNull } from '../answers/references.js';

export interface Place {
  branch?: string | undefined;
  branchId?: string | undefined;
  checkpoint?: string | undefined;
  checkpointId?: string | undefined;
  messageId?: string | undefined;
}

export const placeInput = builder.inputType('PlaceInput', {
  isOneOf: true,
  description: 'A message of a chat: the head of a branch, the message of a checkpoint, or a message by id.',
  fields: (t) => ({
    branch: t.string({ description: `The name of the branch. ${NAME}` }),
    branchId: t.id({ description: 'The id of the branch.' }),
    checkpoint: t.string({ description: `The name of the checkpoint. ${NAME}` }),
    checkpointId: t.id({ description: 'The id of the checkpoint.' }),
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

async function messageIdAt(chatId: string, place: Place, context: Context): Promise<string | null> {
  const { messageId } = place;
  if (messageId != null) return isPossibleId(messageId) ? messageId : null;
  if (isBranch(place)) return (await branchAt(chatId, place, context))?.headMessageId ?? null;
  return (await checkpointAt(chatId, place, context))?.messageId ?? null;
}

export const isBranch = ({ branch, branchId }: Place): boolean => (branch ?? branchId) != null;

/** The branch of a place; null if it is missing. */
export async function branchAt(chatId: string, place: Place, { loaders }: Context): Promise<Branch | null> {
  const { branch: name, branchId: id = '' } = place;
  if (!isPossibleId(name ?? id)) return null;
  return name == null ? loaders.branch.load({ chatId, id }) : loaders.branchByName.load({ chatId, name });
}

/** The checkpoint of a place; null if it is missing. */
export async function checkpointAt(chatId: string, place: Place, { loaders }: Context): Promise<Checkpoint | null> {
  const { checkpoint: name, checkpointId: id = '' } = place;
  if (!isPossibleId(name ?? id)) return null;
  return name == null ? loaders.checkpoint.load({ chatId, id }) : loaders.checkpointByName.load({ chatId, name });
}
