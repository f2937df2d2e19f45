/** The events of chats that webhooks send: see docs/administration/webhooks.md. They have ids only, never contents, names or titles. */
import { v7 as newId } from 'uuid';
import { ERASED_USER } from '../../conversation/access/ownership.js';
import type { ChatCommit } from '../../database/change-hooks.js';
import { DELETED_OWNER } from '../../database/dialects/base/fragments.js';
import type { ChatEvent } from '../../conversation/model.js';
import type { Row } from '../../conversation/tables.js';
import { CHANGED, TYPES, type WebhookEvent } from './event-types.js';

/** A webhook as changes know it. */
export interface WebhookFilter {
  readonly name: string;
  /** Undefined for all. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

export type WebhookDelivery = Row<'webhook_deliveries'>;

/** Changes with more events are one chat.changed event. */
const MAX_EVENTS = 100;

/** The deliveries of a change to each webhook whose filter accepts its events. */
export function deliveriesOf(webhooks: readonly WebhookFilter[], commit: ChatCommit): WebhookDelivery[] {
  const { chat, actorId, now, events, isNew } = commit;
  const userId = chat.userId === DELETED_OWNER ? ERASED_USER : chat.userId;
  const about = { chatId: chat.id, userId, actorId, createdAt: now };
  if (events !== null && events.length <= MAX_EVENTS) {
    const sent = events.map((event) => ({ type: TYPES[event.type], seq: event.seq, ids: idsOf(event) }));
    return deliver(webhooks, about, sent);
  }
  const created = isNew ? [{ type: TYPES.ChatCreated, seq: 1, ids: {} }] : [];
  return deliver(webhooks, about, [...created, { type: CHANGED, seq: chat.version, ids: {} }]);
}

function deliver(
  webhooks: readonly WebhookFilter[],
  about: Pick<WebhookDelivery, 'chatId' | 'userId' | 'actorId' | 'createdAt'>,
  events: readonly { type: WebhookEvent; seq: number; ids: object }[],
): WebhookDelivery[] {
  return webhooks.flatMap(({ name, events: accepted }) =>
    events
      .filter(({ type }) => accepted === undefined || accepted.includes(type))
      .map(({ type, seq, ids }) => ({
        id: newId(),
        webhook: name,
        type,
        seq,
        ...about,
        ids: JSON.stringify(ids),
        state: 'PENDING',
        attempts: 0,
        dueAt: about.createdAt,
        lastAttemptAt: null,
        lastStatus: null,
        lastError: null,
      })),
  );
}

/** The members of an event's payload that are ids or numbers; users other than the owner and the actor are left out. */
function idsOf({ type, payload }: ChatEvent): object {
  switch (type) {
    case 'BranchCreated':
    case 'BranchDeleted':
      return { branchId: payload.branchId, headId: payload.headId };
    case 'BranchActivated':
    case 'BranchRenamed':
      return { branchId: payload.branchId };
    case 'BranchHeadMoved': {
      const { branchId, previousHeadId, headId, firstSeq, lastSeq } = payload;
      return { branchId, previousHeadId, headId, newMessages: Math.max(0, lastSeq - firstSeq + 1) };
    }
    case 'CheckpointSaved':
      return { checkpointId: payload.checkpointId, messageId: payload.messageId };
    case 'ChatCreated':
    case 'ChatUpdated':
    case 'ChatTransferred':
    case 'ChatRestored':
    case 'MemberChanged':
    case 'CheckpointDeleted':
    case 'ChatDeleted':
      return {};
  }
}
