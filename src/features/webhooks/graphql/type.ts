import type { DELIVERY_STATES } from '../statements.js';
import type { WebhookDelivery } from '../webhook-events.js';
import { builder } from '../../../graphql/builder.js';
import { connectionRef } from '../../../graphql/pages/connection.js';

const DESCRIPTIONS = {
  PENDING: { description: 'It is being sent, or it is sent again at nextAttemptAt.' },
  DELIVERED: { description: 'The receiver answered with a status 2xx.' },
  FAILED: { description: 'No attempt succeeded; replayWebhookDeliveries sends it again.' },
} as const satisfies Record<(typeof DELIVERY_STATES)[number], object>;

export const deliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'The progress of a webhook delivery.',
  values: DESCRIPTIONS,
});

export const webhookDelivery = builder.objectRef<WebhookDelivery>('WebhookDelivery').implement({
  description: 'An event that the server sends to a webhook: see docs/administration/webhooks.md.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The header webhook-id of its requests.' }),
    webhook: t.exposeString('webhook', { description: 'The configured name of the webhook.' }),
    type: t.exposeString('type', { description: 'The type of the event, such as chat.created.' }),
    chatId: t.exposeID('chatId', { description: 'The chat of the event, which may be deleted.' }),
    version: t.exposeInt('seq', { description: 'The version of the chat after the event.' }),
    state: t.field({
      type: deliveryState,
      description: 'The progress.',
      resolve: ({ state }) => state as (typeof DELIVERY_STATES)[number],
    }),
    attempts: t.exposeInt('attempts', { description: 'Begun attempts since the event or the last replay.' }),
    lastStatus: t.exposeInt('lastStatus', {
      nullable: true,
      description: 'The HTTP status of the last attempt; null without a response.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'The reason that the last attempt failed; null after a success and before the first attempt.',
    }),
    lastAttemptAt: t.expose('lastAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last attempt that has ended; null before.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt; null unless it is PENDING. While it is being sent, the end of the lease.',
      resolve: ({ state, dueAt }) => (state === 'PENDING' ? dueAt : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the event.' }),
  }),
});

export const webhookDeliveryConnection = connectionRef('WebhookDelivery', webhookDelivery);
