import { InvalidInputError } from '../../../conversation/errors.js';
import { builder } from '../../../graphql/builder.js';
import { resultUnion } from '../../../graphql/result-union.js';

/** Deliveries per call. */
const MAX_REPLAYED = 1_000;

const replayInput = builder.inputType('ReplayWebhookDeliveriesInput', {
  description: 'Deliveries to send again.',
  fields: (t) => ({
    webhook: t.string({ required: true, description: 'The configured name of the webhook.' }),
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
