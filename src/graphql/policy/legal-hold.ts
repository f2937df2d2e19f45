import type { Holdable, LegalHold } from '../../conversation/policies/legal-hold.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { connectionRef } from '../pages/connection.js';

export const legalHoldRef = builder.objectRef<LegalHold>('LegalHold').implement({
  description: 'It refuses the removal of a chat, or of all chats of a user, and the erasure of the user.',
  fields: (t) => ({
    chatId: t.id({
      nullable: true,
      description: 'The held chat; null for the hold on a user.',
      resolve: ({ scope, targetId }) => (scope === 'CHAT' ? targetId : null),
    }),
    userId: t.id({
      nullable: true,
      description: 'The held user; null for the hold on a chat.',
      resolve: ({ scope, targetId }) => (scope === 'USER' ? targetId : null),
    }),
    reason: t.exposeString('reason', { description: 'The reason that the admin gave.' }),
    createdBy: t.exposeID('createdBy', { description: 'The admin that set it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was set.' }),
  }),
});

export const legalHoldConnection = connectionRef('LegalHold', legalHoldRef);

/** A field with the hold on the object. */
export function legalHoldOf<T>(keyOf: (object: T) => Holdable) {
  return {
    type: legalHoldRef,
    nullable: true as const,
    description: 'Admins only: the legal hold on it, or on the owner; null for other users, and without a hold.',
    resolve: (object: T, _args: object, { viewer, loaders }: Context) =>
      viewer.isAdmin ? loaders.legalHold.load(keyOf(object)) : null,
  };
}
