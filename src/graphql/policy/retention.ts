import { retentionDays, type Retention } from '../../conversation/policies/retention.js';
import { builder } from '../builder.js';

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
