import type { ChatChange } from '../change.js';
import { InvalidInputError } from '../errors.js';
import type { Viewer } from '../model.js';
import type { LockedChat } from '../store.js';
import { fileReferences, referencesFault } from './file-references.js';

/**
 * Lets the new messages of a change refer to their files.
 * @throws InvalidInputError when the viewer may not refer to one of them: a hash alone grants nothing
 */
export async function useFiles(locked: LockedChat, viewer: Viewer, { messages }: ChatChange): Promise<void> {
  const messageOf = new Map<string, string>();
  for (const { id, data } of messages) {
    const references = fileReferences(data);
    const fault = referencesFault(references);
    if (fault !== null) throw new InvalidInputError(`Message "${id}" ${fault}`, 'messages');
    for (const { fileId } of references) messageOf.set(fileId, id);
  }
  if (messageOf.size === 0) return;
  const isMember = !viewer.isAdmin && viewer.userId !== locked.chat.userId;
  const usable = await locked.useFiles([...messageOf.keys()], viewer.userId, { isMember });
  for (const [fileId, messageId] of messageOf) {
    if (usable.has(fileId)) continue;
    throw new InvalidInputError(
      `Message "${messageId}" refers to file "${fileId}", which you have neither uploaded nor received in a chat: send it to POST /files first`,
      'messages',
    );
  }
}
