/** Legal holds: their fields, list and changes. */
import { isPossibleId } from '../../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { badUserInput } from '../../graphql/bad-user-input.js';
import { builder } from '../../graphql/builder.js';
import { resultUnion } from '../../graphql/result-union.js';
import type { Context } from '../../graphql/context.js';
import { addChatRefusal, errorInterface } from '../../graphql/errors.js';
import { connectionRef } from '../../graphql/pages/connection.js';
import { readCursor, writeCursor, wrongCursor } from '../../graphql/pages/cursors.js';
import { readPage } from '../../graphql/pages/page-arguments.js';
import { chatRef, deletedChatRef, userRef } from '../../graphql/refs.js';
import { LegalHoldError, type Holdable, type HoldTarget, type LegalHold } from './legal-hold.js';
import { liftLegalHold, setLegalHold } from './legal-holds.js';

addChatRefusal(LegalHoldError, 'LEGAL_HOLD', 'A legal hold refuses the operation.');

builder.objectType(LegalHoldError, {
  name: 'LegalHoldError',
  description: 'A legal hold on the chat or its owner refuses the operation. Admins lift holds.',
  interfaces: [errorInterface],
});

const legalHoldRef = builder.objectRef<LegalHold>('LegalHold').implement({
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

function holdOn(key: Holdable, context: Context): Promise<LegalHold | null> | null {
  const { viewer, loaders } = context;
  if (!viewer.isAdmin) return null;
  const options = { keyOf: (each: Holdable) => JSON.stringify(each) };
  return loaders.of('legalHolds', (keys: readonly Holdable[]) => context.reads.legalHolds(keys), options).load(key);
}

const ofObject = {
  type: legalHoldRef,
  nullable: true,
  description: 'Admins only: the legal hold on it, or on the owner; null for other users, and without a hold.',
} as const;

for (const ref of [chatRef, deletedChatRef]) {
  builder.objectField(ref, 'legalHold', (t) =>
    t.field({
      ...ofObject,
      resolve: ({ id, userId }, _args, context) => holdOn({ chatId: id, userId }, context),
    }),
  );
}
builder.objectField(userRef, 'legalHold', (t) =>
  t.field({ ...ofObject, resolve: ({ id }, _args, context) => holdOn({ chatId: null, userId: id }, context) }),
);

builder.queryField('legalHolds', (t) =>
  t.field({
    audit: null,
    type: connectionRef('LegalHold', legalHoldRef),
    description: 'Admins only: all legal holds, those on chats first, each by id.',
    args: t.arg.connectionArgs(),
    resolve: async (_root, args, { viewer, reads }) => {
      if (!viewer.isAdmin) throw badUserInput('legalHolds: only an admin may list legal holds');
      return { page: await reads.holdPage(readPage(args, decodeCursor)), cursorOf: encodeCursor };
    },
  }),
);

function encodeCursor({ scope, targetId }: HoldTarget): string {
  return writeCursor('hold', `${scope}:${targetId}`);
}

function decodeCursor(cursor: string, argument: string): HoldTarget {
  const match = /^(CHAT|USER):(.+)$/su.exec(readCursor('hold', cursor, argument));
  const [, scope, targetId] = match ?? [];
  if (targetId === undefined || !isPossibleId(targetId)) throw wrongCursor(argument);
  return { scope: scope as HoldTarget['scope'], targetId };
}

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
    type: resultUnion(setLegalHoldPayload, [InvalidInputError, NotFoundError]),
    description:
      'Admins only: a chat, or the chats of a user, cannot be removed, and the user cannot be erased, until the hold is lifted. An ' +
      'existing hold gets the new reason.',
    args: { input: t.arg({ type: setLegalHoldInput, required: true, description: 'The hold.' }) },
    resolve: async (_root, { input }, context) => ({
      legalHold: await setLegalHold(context.legalHolds, context.viewer, input, context.store.now()),
    }),
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
    type: resultUnion(liftLegalHoldPayload, [InvalidInputError, NotFoundError]),
    description: 'Admins only: lifts the legal hold of a chat or user. Removals that it refused can follow.',
    args: { input: t.arg({ type: liftLegalHoldInput, required: true, description: 'The held chat or user.' }) },
    resolve: (_root, { input }, context) => liftLegalHold(context.legalHolds, context.viewer, input),
  }),
);
