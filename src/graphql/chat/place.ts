import { isPossibleId } from '../../conversation/bounds.js';
import type { Message } from '../../conversation/model.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { headOf, messageOf } from '../loading/references.js';

interface Place {
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

/** The message of a place in a chat that the viewer may read; null if it is missing, or its branch is empty. */
export async function messageAt(chatId: string, place: Place, context: Context): Promise<Message | null> {
  const { loaders } = context;
  const name = place.messageId ?? place.branch ?? place.checkpoint ?? '';
  if (!isPossibleId(name)) return null;
  if (place.messageId != null) return loaders.message.load({ chatId, id: name });
  if (place.branch != null) {
    const branch = await loaders.branchByName.load({ chatId, name });
    return branch && headOf(branch, {}, context);
  }
  const checkpoint = await loaders.checkpointByName.load({ chatId, name });
  return checkpoint && messageOf(checkpoint, {}, context);
}
