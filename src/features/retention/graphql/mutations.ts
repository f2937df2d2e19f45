/** Setting and lifting legal holds, and the retention of users. */
import { InvalidInputError, NotFoundError } from '../../../conversation/errors.js';
import { builder } from '../../../graphql/builder.js';
import { mutate } from '../../../graphql/context.js';
import type { HoldTarget, LegalHold } from '../legal-hold.js';
import { MAX_RETENTION_DAYS, setRetention } from '../retention.js';
import { liftLegalHold, setLegalHold } from '../set-legal-hold.js';
import type { Retention } from '../user-retentions.js';
import { legalHoldRef } from './legal-hold.js';
import { retentionRef } from './retention.js';

const setLegalHoldInput = builder.inputType('SetLegalHoldInput', {
  description: 'A legal hold on exactly one chat or user.',
  fields: (t) => ({
    chatId: t.id({ description: 'The chat, which may be a deleted one that can be restored.' }),
    userId: t.id({ description: 'The user.' }),
    reason: t.string({ required: true, description: 'For admins: 1 to 255 characters.' }),
  }),
});

const setLegalHoldPayload = builder.objectRef<{ legalHold: LegalHold }>('SetLegalHoldPayload').implement({
  description: 'The hold is in force.',
  fields: (t) => ({ legalHold: t.expose('legalHold', { type: legalHoldRef, description: 'The hold.' }) }),
});

builder.mutationField('setLegalHold', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'legal_hold.set',
    type: builder.errorUnion('SetLegalHoldResult', {
      description: 'Result of setLegalHold.',
      types: [setLegalHoldPayload, InvalidInputError, NotFoundError],
      resolveType: () => setLegalHoldPayload,
    }),
    description:
      'Admins only: a chat, or the chats of a user, cannot be removed, and the user cannot be erased, until the hold is lifted. An ' +
      'existing hold gets the new reason.',
    args: { input: t.arg({ type: setLegalHoldInput, required: true, description: 'The hold.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, async () => ({
        legalHold: await setLegalHold(context.legalHolds, context.viewer, input, context.store.now()),
      })),
  }),
);

const liftLegalHoldInput = builder.inputType('LiftLegalHoldInput', {
  description: 'Exactly one held chat or user.',
  fields: (t) => ({
    chatId: t.id({ description: 'The held chat.' }),
    userId: t.id({ description: 'The held user.' }),
  }),
});

const liftLegalHoldPayload = builder.objectRef<HoldTarget>('LiftLegalHoldPayload').implement({
  description: 'The hold was lifted.',
  fields: (t) => ({
    chatId: t.id({
      nullable: true,
      description: 'The chat that was held.',
      resolve: ({ scope, targetId }) => (scope === 'CHAT' ? targetId : null),
    }),
    userId: t.id({
      nullable: true,
      description: 'The user that was held.',
      resolve: ({ scope, targetId }) => (scope === 'USER' ? targetId : null),
    }),
  }),
});

builder.mutationField('liftLegalHold', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'legal_hold.lifted',
    type: builder.errorUnion('LiftLegalHoldResult', {
      description: 'Result of liftLegalHold.',
      types: [liftLegalHoldPayload, InvalidInputError, NotFoundError],
      resolveType: () => liftLegalHoldPayload,
    }),
    description: 'Admins only: lifts the legal hold of a chat or user. Removals that it refused can follow.',
    args: { input: t.arg({ type: liftLegalHoldInput, required: true, description: 'The held chat or user.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => liftLegalHold(context.legalHolds, context.viewer, input)),
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
    type: builder.errorUnion('SetRetentionResult', {
      description: 'Result of setRetention.',
      types: [setRetentionPayload, InvalidInputError],
      resolveType: () => setRetentionPayload,
    }),
    description:
      "Sets the retention of the viewer's chats, which can only shorten that of the server. Chats whose retention has ended are deleted soon.",
    args: { input: t.arg({ type: setRetentionInput, required: true, description: 'The retention.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => setRetention(context.retentions, context.viewer, input)),
  }),
);
