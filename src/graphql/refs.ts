/** The types of the graph by name, so that files of types can refer to each other without imports. */
import type { ForkChatRequest } from '../conversation/copy-origin.js';
import type { Branch, Chat, ChatEvent, Checkpoint, DeletedChat, Message } from '../conversation/model.js';
import type { UserSummary } from '../conversation/reads.js';
import { builder } from './builder.js';

export const chatRef = builder.objectRef<Chat>('Chat');
export const deletedChatRef = builder.objectRef<DeletedChat>('DeletedChat');
export const messageRef = builder.objectRef<Message>('Message');
export const branchRef = builder.objectRef<Branch>('Branch');
export const checkpointRef = builder.objectRef<Checkpoint>('Checkpoint');
/** The field of payloads of mutations that may activate a branch. */
export const previousActiveBranchField = {
  type: branchRef,
  nullable: true,
  description: 'The branch that was active before, as it is now; null when the active branch is the same.',
} as const;
/** The origin of forkChat, to which features add members. */
export const forkChatInput = builder.inputRef<ForkChatRequest>('ForkChatInput');
/** A user, to which features add fields. */
export const userRef = builder.objectRef<UserSummary>('User');
export const chatEventRef = builder.interfaceRef<ChatEvent>('ChatEvent');
