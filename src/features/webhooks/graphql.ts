import { badUserInput } from '../../graphql/bad-user-input.js';
import { builder } from '../../graphql/builder.js';
import { decodeId, writeCursor } from '../../graphql/pages/cursors.js';
import { readPage } from '../../graphql/pages/page-arguments.js';
import type { DeliveryState } from './statements.js';
import type { WebhookDelivery } from './webhook-events.js';
import { connectionRef } from '../../graphql/pages/connection.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { resultUnion } from '../../graphql/result-union.js';

const deliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'The progress of a webhook delivery.',
  values: {
    PENDING: { description: 'It is being sent, or it is sent again at nextAttemptAt.' },
    DELIVERED: { description: 'The receiver answered with a status 2xx.' },
    FAILED: { description: 'No attempt succeeded; replayWebhookDeliveries sends it again.' },
  } as const satisfies Record<DeliveryState, object>,
});

const webhookDelivery = builder.objectRef<WebhookDelivery>('WebhookDelivery').implement({
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
      resolve: ({ state }) => state as DeliveryState,
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

const webhookDeliveryConnection = connectionRef('WebhookDelivery', webhookDelivery);

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    audit: null,
    type: webhookDeliveryConnection,
    description: 'Admins only: deliveries of webhooks, newest event first. Delivered ones are kept for 7 days.',
    args: {
      webhook: t.arg.string({
        description: 'Only those of the webhook with this configured name, 1 to 64 characters.',
      }),
      state: t.arg({ type: deliveryState, description: 'Only those in this state.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { webhook = null, state = null, ...args }, { viewer, webhooks: { records }, audit }) => {
      if (!viewer.isAdmin) throw badUserInput('webhookDeliveries: only an admin may list deliveries');
      const page = readPage(args, (...cursor) => decodeId('delivery', ...cursor));
      const found = await records.page({ webhook, state }, page);
      audit?.read(
        'webhooks.read',
        found.rows.map(({ chatId }) => chatId),
      );
      return { page: found, cursorOf: ({ id }) => writeCursor('delivery', id) };
    },
  }),
);

/** Deliveries per call. */
const MAX_REPLAYED = 1_000;

const replayInput = builder.inputType('ReplayWebhookDeliveriesInput', {
  description: 'Deliveries to send again.',
  fields: (t) => ({
    webhook: t.string({ required: true, description: 'The configured name of the webhook, 1 to 64 characters.' }),
    ids: t.idList({
      description: `At most ${MAX_REPLAYED} delivered or failed deliveries of the webhook; others are skipped. Without it, its oldest ${MAX_REPLAYED} failed ones.`,
    }),
  }),
});

const replayPayload = builder.objectRef<{ replayedCount: number }>('ReplayWebhookDeliveriesPayload').implement({
  description: 'The deliveries are sent again, with all attempts.',
  fields: (t) => ({
    replayedCount: t.exposeInt('replayedCount', {
      description: `The number of deliveries; ${MAX_REPLAYED} when more may have failed.`,
    }),
  }),
});

builder.mutationField('replayWebhookDeliveries', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: { event: 'webhooks.replayed', idsOf: ({ webhook }) => ({ chats: [], target: webhook }) },
    type: resultUnion(replayPayload, [InvalidInputError]),
    description:
      'Admins only: sends deliveries of a webhook again, with the same webhook-id. Receivers ignore those that they have handled.',
    args: { input: t.arg({ type: replayInput, required: true, description: 'The deliveries to send again.' }) },
    resolve: async (_root, { input: { webhook, ids = null } }, { viewer, webhooks }) => {
      if (!viewer.isAdmin) throw new InvalidInputError('only an admin may replay deliveries', null);
      if (!webhooks.names.includes(webhook)) throw new InvalidInputError('no webhook has this name', 'webhook');
      if (ids !== null && ids.length > MAX_REPLAYED) {
        throw new InvalidInputError(`ids must have at most ${MAX_REPLAYED} elements, got ${ids.length}`, 'ids');
      }
      const replayedCount = await webhooks.records.replay(webhook, ids, Date.now(), MAX_REPLAYED);
      webhooks.wake();
      return { replayedCount };
    },
  }),
);
