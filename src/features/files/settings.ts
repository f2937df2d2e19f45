/** The settings of files, and the rule that servers share FILES_SECRET. */
import { z } from 'zod';
import { setting, wholeNumber } from '../../settings/declare-setting.js';
import type { CoreValues, Fault, Reader } from '../../settings/read-environment.js';

/** The fault of settings with REDIS_URL, which connects several servers, and without FILES_SECRET. */
export const NO_SHARED_SECRET =
  'must be set with REDIS_URL, the same for all servers of the database: they accept the URLs of files that others sign';

export const fileSettings = {
  /**
   * Where the contents of files are stored: `file:` and the path of a folder, `s3://` and a bucket, or `database`.
   * @default a folder next to a SQLite file, else the database
   */
  filesUrl: setting('FILES_URL', z.string()).means(
    'Where the contents of files are stored: see [Files](files.md#storage)',
  ),
  /**
   * Signs URLs of files: the same for all servers of a database. Required with `redisUrl`.
   * @default random, for this process
   */
  filesSecret: setting('FILES_SECRET', z.string().min(32, 'must have at least 32 characters'), {
    isSecret: true,
  }).means(
    'Signs URLs of files, at least 32 characters; the same for all servers of a database. Required with `REDIS_URL`',
  ),
  /** Milliseconds that a file without a message is kept. @default a day */
  unusedFileExpiryMs: wholeNumber('UNUSED_FILE_EXPIRY_MS', 60_000, 31_536_000_000, 86_400_000).means(
    'Time without a message after which a file is removed',
  ),
};

/** Servers of a database accept the URLs that other ones have signed. Commands need no secret. */
export const fileRules = {
  serverFaultsOf: (read: Reader, { redisUrl }: CoreValues): Fault[] =>
    redisUrl !== undefined && read(fileSettings).filesSecret === undefined
      ? [{ variable: 'FILES_SECRET', message: NO_SHARED_SECRET }]
      : [],
};
