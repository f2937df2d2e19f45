import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';

it('READ_DATABASE_URL names standbys of PostgreSQL, which have its schema and no pooler', () => {
  const config =
    (READ_DATABASE_URL: string, DATABASE_URL = 'postgresql://primary/parley?schema=chats') =>
    () =>
      readConfig({ DATABASE_URL, READ_DATABASE_URL });
  const standby = 'postgresql://me:secret@standby/parley?schema=chats';
  expect(config(`${standby}, ${standby}`)().readDatabaseUrls).toEqual([standby, standby]);
  expect(config(standby, ':memory:')).toThrow('READ_DATABASE_URL must be unset without PostgreSQL in DATABASE_URL');
  expect(config('file:other.db')).toThrow('READ_DATABASE_URL must be URLs that begin with postgresql://');
  expect(config('postgresql://standby/parley')).toThrow('READ_DATABASE_URL must name the schema of DATABASE_URL');
  expect(config(`${standby}&pgbouncer=true`)).toThrow('without a pooler');
  expect(config(Array(9).fill(standby).join())).toThrow('at most 8 URLs, got 9');
  expect(config(`${standby}&connection_limit=1`)).toThrow(/^(?![^]*secret)/);
});
