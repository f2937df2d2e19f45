import { builder } from '../../../graphql/builder.js';
import { viewerRef } from '../../../graphql/viewer/type.js';
import { retentionDays } from '../retention.js';
import type { Retention } from '../user-retentions.js';

export const retentionRef = builder.objectRef<Retention>('Retention').implement({
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
    resolve: ({ userId }, _args, { retentions }) => retentions.of(userId),
  }),
);
