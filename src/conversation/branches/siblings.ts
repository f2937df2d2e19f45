import { checkOptionalName } from '../bounds.js';
import { createBranch, type BranchOutcome } from './branches.js';
import { changeChat } from '../chats.js';
import { requireMessage } from '../messages.js';
import type { Viewer } from '../model.js';
import type { ConversationStore } from '../store.js';

/**
 * Shows another sibling: activates the branch whose head is the sibling's newest leaf (the active one first, then the
 * oldest), or creates one there.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function switchToSibling(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId: string; branchName?: string | null | undefined },
): Promise<BranchOutcome> {
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const sibling = await requireMessage(locked, viewer, request.messageId);
    const leaf = await locked.latestLeaf(sibling.id);
    const there = await locked.branchAt(leaf.id);
    if (there?.isActive) return { chat: change.chat, branch: there };
    const name = asked === null ? { after: await locked.activeBranch() } : { asked };
    const target = there ?? (await createBranch(locked, change, leaf, name));
    const branch = change.activate(target);
    return { chat: change.chat, branch };
  });
}
