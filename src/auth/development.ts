import { LOCAL_ADMIN } from '../conversation/access/ownership.js';
import { UnauthenticatedError } from './errors.js';
import type { Authenticator } from './session.js';
import { userIdFault } from './user-id.js';

/**
 * Trusts every client. A client that names a user is that user without admin rights, so that a frontend can be tried as
 * several users; otherwise it is the admin of this machine.
 */
export const developmentMode: Authenticator = {
  isDevelopment: true,
  authenticate: async ({ userId }) => {
    if (userId === null) return { viewer: LOCAL_ADMIN, expiresAt: null };
    const fault = userIdFault(userId);
    if (fault !== null) throw new UnauthenticatedError(`x-user-id ${fault}`, 'bad user id');
    return { viewer: { userId, isAdmin: userId === LOCAL_ADMIN.userId }, expiresAt: null };
  },
  checkKeys: async () => {},
};
