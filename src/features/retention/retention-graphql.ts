/** The retention of users. */
import { InvalidInputError } from '../../conversation/errors.js';
import { builder } from '../../graphql/builder.js';
import { resultUnion } from '../../graphql/result-union.js';
import { viewerRef } from '../../graphql/viewer/type.js';
import { MAX_RETENTION_DAYS, retentionDays, setRetention, type Retention } from './retention.js';

const retentionRef = builder.objectRef<Retention>('Retention').implement({
  description: 'Days after the last change of a chat until it is deleted.',
  fields: (t) => ({
    days: t.int({
      nullable: true,
      description: 'The shorter of ownDays and serverDays, which applies; null keeps chats.',
      resolve: retentionDays,
    }),
    ownDays: t.exposeInt('ownDays', { nullable: true, description: 'The setting of the user; null without one.' }),
    serverDays: t.exposeInt('serverDays', {
      nullable: true,
      description: 'The setting of the server; null without one.',
    }),
  }),
});

builder.objectField(viewerRef, 'retention', (t) =>
  t.field({
    type: retentionRef,
    description: 'When chats of the user are deleted.',
    resolve: async ({ userId }, _args, { reads, retentions: { serverDays } }) => ({
      ownDays: await reads.ownRetentionDays(userId),
      serverDays,
    }),
  }),
);

const setRetentionInput = builder.inputType('SetRetentionInput', {
  description: 'The retention of the chats of a user.',
  fields: (t) => ({
    days: t.int({
      description: `Days after the last change of a chat until it is deleted, 1 to ${MAX_RETENTION_DAYS}; null removes the setting.`,
    }),
    userId: t.id({ description: 'The viewer by default. Admins only.' }),
  }),
});

interface NewRetention {
  userId: string;
  retention: Retention;
}

const setRetentionPayload = builder.objectRef<NewRetention>('SetRetentionPayload').implement({
  description: 'The retention is set.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The user.' }),
    retention: t.expose('retention', { type: retentionRef, description: 'The retention of the chats of the user.' }),
  }),
});

builder.mutationField('setRetention', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: { event: 'retention.set', idsOf: (_, { userId }) => ({ chats: [], target: userId }) },
    type: resultUnion(setRetentionPayload, [InvalidInputError]),
    description:
      "Sets the retention of the viewer's chats, which can only shorten that of the server. Chats whose retention has ended are deleted soon.",
    args: { input: t.arg({ type: setRetentionInput, required: true, description: 'The retention.' }) },
    resolve: (_root, { input }, context) => setRetention(context.retentions, context.viewer, input),
  }),
);
