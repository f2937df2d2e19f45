/** What the errors of drivers mean, in the shapes in which they arrive. */
import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/conversation/errors.js';
import { postgresql } from '../../../src/database/dialects/postgresql/postgresql.js';
import { sqlite } from '../../../src/database/dialects/sqlite/sqlite.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';

const dialects = { sqlite, postgresql, sqlserver: sqlserver('dbo', { hasFullTextIndex: false }) };

/** As Prisma's adapter wraps an error of the driver, and Prisma that of the adapter. */
function wrapped(cause: object, message = 'Raw query failed') {
  const adapterError = Object.assign(new Error('an adapter'), { cause });
  return [
    adapterError,
    Object.assign(new Error(message), { code: 'P2010', meta: { driverAdapterError: adapterError } }),
  ];
}

describe('an error of SQL Server is known by its number', () => {
  it.each([
    ['busy', [1205, 1222, 3960]],
    ['duplicate', [2627, 2601]],
    ['no table', [208]],
    ['unavailable', [596, 927, 976, 1105, 3906, 4060, 9002, 10928, 18456, 40501]],
    ['other', [8134, 547]],
  ] as const)('%s', (failure, numbers) => {
    for (const number of numbers) {
      // The driver's own code is the same for all of them.
      const cause = { kind: 'mssql', code: number, originalCode: 'EREQUEST', originalMessage: 'What the server says' };
      for (const error of wrapped(cause)) expect(dialects.sqlserver.failure(error)).toBe(failure);
    }
  });
});

it("an error of PostgreSQL is known by its code, whatever it quotes of a client's text", () => {
  const says = 'invalid input syntax: "connection error"';
  const cause = { kind: 'postgres', code: '22P02', originalCode: '22P02', originalMessage: says };
  for (const error of wrapped(cause, says)) expect(postgresql.failure(error)).toBe('other');
  expect(postgresql.failure(new Error('Connection terminated unexpectedly'))).toBe('unavailable');
});

it.each(Object.entries(dialects))(
  'what a rule refuses is no failure of %s, whatever a client calls it',
  (_, dialect) => {
    for (const name of ['connection error', 'terminating connection', 'no such table', 'SQLITE_BUSY', '40001']) {
      expect(dialect.failure(new NotFoundError(`Branch "${name}"`))).toBe('other');
    }
  },
);
