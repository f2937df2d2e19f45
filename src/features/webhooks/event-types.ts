/** The types of webhook events. Published types include this file. */
import type { ChatEventType } from '../../conversation/model.js';

/** By the events of the log. */
export const TYPES = {
  ChatCreated: 'chat.created',
  ChatUpdated: 'chat.updated',
  ChatTransferred: 'chat.transferred',
  ChatRestored: 'chat.restored',
  MemberChanged: 'chat.member_changed',
  ChatDeleted: 'chat.deleted',
  BranchCreated: 'branch.created',
  BranchActivated: 'branch.activated',
  BranchHeadMoved: 'branch.head_moved',
  BranchRenamed: 'branch.renamed',
  BranchDeleted: 'branch.deleted',
  CheckpointSaved: 'checkpoint.saved',
  CheckpointDeleted: 'checkpoint.deleted',
} as const satisfies Record<ChatEventType, string>;

/** Represents all events of a change that has too many, such as an import. */
export const CHANGED = 'chat.changed';

export const WEBHOOK_EVENTS = [...Object.values(TYPES), CHANGED] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
