/** FILES_SECRET of servers that share a database: each must accept the URLs that another one has signed. */

/** The fault of settings with REDIS_URL, which connects several servers, and without FILES_SECRET. */
export const NO_SHARED_SECRET =
  'must be set with REDIS_URL, the same for all servers of the database: they accept the URLs of files that others sign';

/** Logged in production mode, where the settings do not show whether there are other servers. */
export const RANDOM_SECRET =
  'FILES_SECRET is not set: signed URLs of files end with this process, and other servers of the database refuse them';
