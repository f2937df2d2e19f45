/** The stored bytes of users, and their quotas. */
import { InvalidInputError } from '../../conversation/errors.js';
import { setStorageQuota } from './set-storage-quota.js';
import { isNearQuota, type StorageUse } from './storage-use.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import { userRef } from '../../graphql/refs.js';
import { viewerRef } from '../../graphql/viewer/type.js';
import { builder } from '../../graphql/builder.js';
import { resultUnion } from '../../graphql/result-union.js';

const storageRef = builder.objectRef<StorageUse>('Storage').implement({
  description: 'The stored bytes of a user, against the quota.',
  fields: (t) => ({
    usedBytes: t.exposeFloat('usedBytes', {
      description:
        'Bytes of the chats of the user, with deleted ones that can be restored: titles, metadata, the data of messages and open drafts. Bytes of the files of the user.',
    }),
    quotaBytes: t.exposeFloat('quotaBytes', {
      nullable: true,
      description: 'The quota of the user, else that of the server; null without quotas.',
    }),
    isNearQuota: t.boolean({
      description: 'Whether at least 80 % of the quota are used.',
      resolve: isNearQuota,
    }),
  }),
});

builder.objectField(userRef, 'storage', (t) =>
  t.field({
    type: storageRef,
    description: 'The stored bytes of the user. Reads all chats of the user.',
    resolve: ({ id }, _args, { storage }) => storage.use(id),
  }),
);

builder.objectField(viewerRef, 'storage', (t) =>
  t.field({
    type: storageRef,
    nullable: true,
    description: 'The stored bytes of the user; null for an access token of one chat.',
    resolve: (viewer, _args, { storage }) => (onlyChatOf(viewer) === null ? storage.use(viewer.userId) : null),
  }),
);

const setStorageQuotaInput = builder.inputType('SetStorageQuotaInput', {
  description: 'The storage quota of a user.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'The user.' }),
    bytes: t.float({ description: 'Bytes of chats and files; null for the quota of the server.' }),
  }),
});

interface NewQuota {
  userId: string;
  storage: StorageUse;
}

const setStorageQuotaPayload = builder.objectRef<NewQuota>('SetStorageQuotaPayload').implement({
  description: 'The quota is set.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The user.' }),
    storage: t.expose('storage', {
      type: storageRef,
      description: 'The stored bytes of the user, with the new quota.',
    }),
  }),
});

builder.mutationField('setStorageQuota', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'storage_quota.set',
    type: resultUnion(setStorageQuotaPayload, [InvalidInputError]),
    description:
      'Admins only: sets the storage quota of a user in place of that of the server. Other servers learn of it within a minute.',
    args: { input: t.arg({ type: setStorageQuotaInput, required: true, description: 'The quota.' }) },
    resolve: (_root, { input }, context) => setStorageQuota(context.storage, context.viewer, input),
  }),
);
