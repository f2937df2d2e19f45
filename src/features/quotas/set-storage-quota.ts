/** The storage quota of a user, which admins set. */
import { checkName } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import type { Viewer } from '../../conversation/model.js';
import type { StorageQuotas } from './storage-quotas.js';
import type { StorageUse } from './storage-use.js';

/**
 * Sets the quota of a user in place of that of the server.
 * @param request.bytes null removes it
 * @throws InvalidInputError
 */
export async function setStorageQuota(
  storage: StorageQuotas,
  viewer: Viewer,
  request: { userId: string; bytes?: number | null | undefined },
): Promise<{ userId: string; storage: StorageUse }> {
  if (!viewer.isAdmin) throw new InvalidInputError('only an admin may set storage quotas', null);
  const userId = checkName(request.userId, 'userId');
  const { bytes = null } = request;
  if (bytes !== null && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
    throw new InvalidInputError(
      `bytes must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${bytes}`,
      'bytes',
    );
  }
  if (storage.quotaBytes === null) {
    throw new InvalidInputError('the server has no storage quotas: set STORAGE_QUOTA_BYTES first', null);
  }
  await storage.setQuota(userId, bytes);
  return { userId, storage: await storage.use(userId) };
}
