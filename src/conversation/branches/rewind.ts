/** Changing the active branch: rewind, btw and switch. No messages are deleted. */
import { checkName, checkOptionalName } from '../bounds.js';
import { createBranch, headOf, requireBranch, type BranchOutcome } from './branches.js';
import { changeChat } from '../chats.js';
import { InvalidInputError } from '../errors.js';
import { requireMessage } from '../messages.js';
import type { Branch, ParentPlace, Viewer } from '../model.js';
import type { ConversationStore, LockedChat } from '../store.js';

/**
 * Creates and activates a branch at the message; null creates an empty branch.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function rewind(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId?: string | null | undefined; branchName?: string | null | undefined },
): Promise<BranchOutcome> {
  const { chatId, messageId } = request;
  // Require an explicit null to start over.
  if (messageId === undefined) throw new InvalidInputError('messageId must be given; null starts over', 'messageId');
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, chatId, 'WRITER', async (locked, change) => {
    const message = messageId === null ? null : await requireMessage(locked, viewer, messageId);
    const name = asked === null ? { after: await locked.activeBranch() } : { asked };
    const branch = change.activate(await createBranch(locked, change, message, name));
    return { chat: change.chat, branch };
  });
}

/**
 * Creates an inactive branch at a message, the active head by default; null creates an empty branch.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function btw(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId?: string | null | undefined; branchName?: string | null | undefined },
): Promise<BranchOutcome> {
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const active = await locked.activeBranch();
    const head = await startOf(locked, viewer, active, request.messageId);
    if (head === null && request.messageId === undefined) {
      throw new InvalidInputError('Cannot create btw branch: no messages in conversation', 'chatId');
    }
    const branch = await createBranch(locked, change, head, asked === null ? { after: active } : { asked });
    return { chat: change.chat, branch };
  });
}

/**
 * Activates a branch. Nothing is written when it is already active.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function switchBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; name: string },
): Promise<BranchOutcome> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    const active = branch.isActive ? branch : change.activate(branch);
    return { chat: change.chat, branch: active };
  });
}

/** The message where a btw branch begins. */
async function startOf(
  locked: LockedChat,
  viewer: Viewer,
  active: Branch,
  messageId: string | null | undefined,
): Promise<ParentPlace> {
  if (messageId === undefined) return headOf(active);
  return messageId === null ? null : requireMessage(locked, viewer, messageId);
}
