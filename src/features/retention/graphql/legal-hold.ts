import { builder } from '../../../graphql/builder.js';
import { deletedChatRef } from '../../../graphql/chat/deletion.js';
import type { Context } from '../../../graphql/context.js';
import { addChatRefusal, errorInterface } from '../../../graphql/errors.js';
import { Loader } from '../../../graphql/loading/loader.js';
import type { Loaders } from '../../../graphql/loading/loaders.js';
import { connectionRef } from '../../../graphql/pages/connection.js';
import { chatRef } from '../../../graphql/refs.js';
import { userRef } from '../../../graphql/user/queries.js';
import { LegalHoldError, type Holdable, type LegalHold } from '../legal-hold.js';

addChatRefusal(LegalHoldError, 'LEGAL_HOLD', 'A legal hold refuses the operation.');

builder.objectType(LegalHoldError, {
  name: 'LegalHoldError',
  description: 'A legal hold on the chat or its owner refuses the operation. Admins lift holds.',
  interfaces: [errorInterface],
});

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

/** The loader of each operation, which ends with its other loaders. */
const loaderOf = new WeakMap<Loaders, Loader<Holdable, LegalHold | null>>();

function holdOn(key: Holdable, { viewer, loaders, legalHolds }: Context): Promise<LegalHold | null> | null {
  if (!viewer.isAdmin) return null;
  let loader = loaderOf.get(loaders);
  if (loader === undefined) {
    loader = new Loader(loaders.schedule, (keys) => legalHolds.of(keys), { keyOf: (each) => JSON.stringify(each) });
    loaderOf.set(loaders, loader);
  }
  return loader.load(key);
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
