/** Moving the active branch: back to a message, aside, over to another branch. Nothing is deleted. */
import { checkName, checkOptionalName } from './bounds.js';
import { createBranch, headOf, requireBranch } from './branches.js';
import { changeChat } from './chats.js';
import { InvalidInputError } from './errors.js';
import { requireMessage } from './messages.js';
import type { Branch, Chat, Viewer } from './model.js';
import type { ConversationStore } from './store.js';

/** A chat and one of its branches, as they are after the change. */
export interface BranchOutcome {
  chat: Chat;
  branch: Branch;
}

/**
 * A new branch at the message, made active.
 * @throws InvalidInputError, NotFoundError, AlreadyExistsError
 */
export function rewind(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId: string; branchName?: string | null | undefined },
): Promise<BranchOutcome> {
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const message = await requireMessage(locked, viewer, request.messageId);
    const name = asked === null ? { after: await locked.activeBranch() } : { asked };
    const branch = change.activate(await createBranch(locked, change, message, name));
    return { chat: change.chat, branch };
  });
}

/**
 * A new branch at a message, by default the active branch's head, left inactive: for a question by the way.
 * @throws InvalidInputError, NotFoundError, AlreadyExistsError
 */
export function btw(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId?: string | null | undefined; branchName?: string | null | undefined },
): Promise<BranchOutcome> {
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const active = await locked.activeBranch();
    const head = request.messageId == null ? headOf(active) : await requireMessage(locked, viewer, request.messageId);
    if (head === null) {
      throw new InvalidInputError('Cannot create btw branch: no messages in conversation', 'chatId');
    }
    const branch = await createBranch(locked, change, head, asked === null ? { after: active } : { asked });
    return { chat: change.chat, branch };
  });
}

/**
 * Makes a branch active. One that is active already stays so, and nothing is written.
 * @throws InvalidInputError, NotFoundError
 */
export function switchBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; name: string },
): Promise<BranchOutcome> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    const active = branch.isActive ? branch : change.activate(branch);
    return { chat: change.chat, branch: active };
  });
}
