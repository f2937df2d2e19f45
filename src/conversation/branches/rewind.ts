/** Changing the active branch: rewind, btw and switches. No messages are deleted. */
import { checkOptionalName } from '../bounds.js';
import {
  checkBranch,
  createBranch,
  headOf,
  outcomeOf,
  requireBranch,
  type BranchOutcome,
  type BranchRequest,
} from './branches.js';
import { changeChat } from '../chats.js';
import { InvalidInputError } from '../errors.js';
import { requireMessage } from '../messages.js';
import type { Viewer } from '../model.js';
import type { ConversationStore } from '../store.js';

interface NewBranch {
  chatId: string;
  messageId?: string | null | undefined;
  branchName?: string | null | undefined;
}

/**
 * Creates and activates a branch at the message; null creates an empty branch.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function rewind(store: ConversationStore, viewer: Viewer, request: NewBranch): Promise<BranchOutcome> {
  const { chatId, messageId } = request;
  // Require an explicit null to start over.
  if (messageId === undefined) throw new InvalidInputError('messageId must be given; null starts over', 'messageId');
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, chatId, 'WRITER', async (locked, change) => {
    const message = messageId === null ? null : await requireMessage(locked, viewer, messageId);
    const name = asked === null ? { after: await locked.activeBranch() } : { asked };
    const branch = change.activate(await createBranch(locked, change, message, name));
    return outcomeOf(locked, change, branch);
  });
}

/**
 * Creates an inactive branch at a message, the active head by default; null creates an empty branch.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function btw(store: ConversationStore, viewer: Viewer, request: NewBranch): Promise<BranchOutcome> {
  const { chatId, messageId } = request;
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, chatId, 'COMMENTER', async (locked, change) => {
    const active = await locked.activeBranch();
    const place = messageId === undefined ? headOf(active) : messageId;
    const head = typeof place === 'string' ? await requireMessage(locked, viewer, place) : place;
    if (head === null && messageId === undefined) {
      throw new InvalidInputError('Cannot create btw branch: no messages in conversation', 'chatId');
    }
    const branch = await createBranch(locked, change, head, asked === null ? { after: active } : { asked });
    return outcomeOf(locked, change, branch);
  });
}

/**
 * Activates a branch. Nothing is written when it is already active.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function switchBranch(store: ConversationStore, viewer: Viewer, request: BranchRequest): Promise<BranchOutcome> {
  const key = checkBranch(request);
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const branch = await requireBranch(locked, key);
    const active = branch.isActive ? branch : change.activate(branch);
    return outcomeOf(locked, change, active);
  });
}

/**
 * Shows another sibling: activates the branch whose head is the sibling's newest leaf (the active one first, then the
 * oldest), or creates one there.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function switchToSibling(
  store: ConversationStore,
  viewer: Viewer,
  request: NewBranch & { messageId: string },
): Promise<BranchOutcome> {
  const asked = checkOptionalName(request.branchName, 'branchName');
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const sibling = await requireMessage(locked, viewer, request.messageId);
    const leaf = await locked.latestLeaf(sibling.id);
    const there = await locked.branchAt(leaf.id);
    if (there?.isActive) return outcomeOf(locked, change, there);
    const name = asked === null ? { after: await locked.activeBranch() } : { asked };
    const target = there ?? (await createBranch(locked, change, leaf, name));
    const branch = change.activate(target);
    return outcomeOf(locked, change, branch);
  });
}
