import { badUserInput } from '../../../graphql/bad-user-input.js';
import { builder } from '../../../graphql/builder.js';
import { decodeDeliveryCursor, encodeDeliveryCursor } from '../../../graphql/pages/cursors.js';
import { readPage } from '../../../graphql/pages/page-arguments.js';
import { deliveryState, webhookDeliveryConnection } from './type.js';

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    audit: null,
    type: webhookDeliveryConnection,
    description: 'Admins only: deliveries of webhooks, newest event first. Delivered ones are kept for 7 days.',
    args: {
      webhook: t.arg.string({ description: 'Only those of the webhook with this configured name.' }),
      state: t.arg({ type: deliveryState, description: 'Only those in this state.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { webhook = null, state = null, ...args }, { viewer, webhooks: { records }, audit }) => {
      if (!viewer.isAdmin) throw badUserInput('webhookDeliveries: only an admin may list deliveries');
      const page = readPage(args, decodeDeliveryCursor);
      const found = await records.page({ webhook, state }, page);
      audit?.read(
        'webhooks.read',
        found.rows.map(({ chatId }) => chatId),
      );
      return { page: found, cursorOf: encodeDeliveryCursor };
    },
  }),
);
