/** The secret of signed URLs, which all servers of a database share. */
import { expect, it } from 'vitest';
import { createServer } from '../../../src/server.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { SECRET } from '../../support/server/tokens.js';

/** No Redis listens there: a server that starts retries. */
const REDIS_URL = 'redis://127.0.0.1:1';

it('is required of a server with the bus of several servers', async () => {
  const DATABASE_URL = emptyDatabaseUrl();
  const reason = 'FILES_SECRET must be set with REDIS_URL, the same for all servers of the database';
  await expect(startConfigured({ DATABASE_URL, REDIS_URL, FILES_SECRET: '' })).rejects.toThrow(
    `These settings are wrong:\n  ${reason}`,
  );
  await expect(createServer({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL })).rejects.toThrow(reason);
});

it('is missed in the log of a server with tokens, and in no other', async () => {
  const logOf = async (settings: object) => {
    const server = await startConfigured({ DATABASE_URL: emptyDatabaseUrl(), ...settings });
    return server
      .log()
      .trim()
      .split('\n')
      .filter((line) => line.includes('FILES_SECRET'));
  };
  const [line = '', ...others] = await logOf({ AUTH_JWT_SECRET: SECRET, FILES_SECRET: '' });
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    msg: 'FILES_SECRET is not set: signed URLs of files end with this process, and other servers of the database refuse them',
  });
  expect(others).toEqual([]);
  expect(await logOf({ AUTH_JWT_SECRET: SECRET })).toEqual([]);
  expect(await logOf({ FILES_SECRET: '' })).toEqual([]);
});
