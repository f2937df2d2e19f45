import type { ChatChange } from '../change.js';
import { InvalidInputError } from '../errors.js';
import type { Viewer } from '../model.js';
import type { LockedChat } from '../store.js';
import { fileReferences, MAX_FILES_PER_MESSAGE } from './file-references.js';

/**
 * Lets the new messages of a change refer to their files.
 * @throws InvalidInputError when the viewer may not refer to one of them: a hash alone grants nothing
 */
export async function useFiles(locked: LockedChat, viewer: Viewer, { messages }: ChatChange): Promise<void> {
  const messageOf = new Map<string, string>();
  for (const { id, data } of messages) {
    const references = fileReferences(data);
    if (references.length > MAX_FILES_PER_MESSAGE) {
      const count = `${MAX_FILES_PER_MESSAGE} files, not ${references.length}`;
      throw new InvalidInputError(`Message "${id}" may refer to at most ${count}`, 'messages');
    }
    for (const { fileId } of references) messageOf.set(fileId, id);
  }
  if (messageOf.size === 0) return;
  const usable = await locked.useFiles([...messageOf.keys()], viewer.userId);
  for (const [fileId, messageId] of messageOf) {
    if (usable.has(fileId)) continue;
    throw new InvalidInputError(
      `Message "${messageId}" refers to file "${fileId}", which you have neither uploaded nor received in a chat: send it to POST /files first`,
      'messages',
    );
  }
}
