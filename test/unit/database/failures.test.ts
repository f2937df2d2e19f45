/** The classification of driver errors, in the forms in which drivers throw them. */
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError, NotFoundError } from '../../../src/conversation/errors.js';
import { postgresql } from '../../../src/database/dialects/postgresql/postgresql.js';
import { sqlite } from '../../../src/database/dialects/sqlite/sqlite.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { driverMessage } from '../../../src/database/dialects/driver-error.js';

const dialects = { sqlite, postgresql, sqlserver: sqlserver('dbo', { hasFullTextIndex: false }) };

/** The error of the driver, and the same error as the cause of a DatabaseUnavailableError. */
const thrown = (message: string, members: object) => {
  const error = Object.assign(new Error(message), members);
  return [error, new DatabaseUnavailableError('The database cannot be used', { cause: error })];
};

describe('an error of SQL Server is classified by its number', () => {
  it.each([
    ['busy', [617, 1203, 1204, 1205, 1221, 1222, 3960, 3961]],
    ['duplicate', [2627, 2601]],
    ['no table', [208]],
    ['no index', [7600, 7699, 30046, 30053]],
    ['unavailable', [596, 927, 976, 1105, 3906, 4060, 4221, 8651, 9002, 10928, 18456, 40501, 40544]],
    ['unavailable', [40549, 40550, 40551, 40552, 40553]],
    ['other', [8134, 547]],
  ] as const)('%s', (failure, numbers) => {
    for (const number of numbers) {
      // All of them have the same driver code.
      const inRequest = thrown('What the server says', { code: 'EREQUEST', number, precedingErrors: [] });
      // An error at the end of a transaction has the number only in its original error.
      const inEnd = thrown('What the server says', { code: 'EREQUEST', originalError: inRequest[0] });
      // The first of several errors is the cause; the last one is the result.
      const ofSeveral = thrown('The statement has ended', { code: 'EREQUEST', precedingErrors: inRequest });
      for (const error of [...inRequest, ...inEnd, ...ofSeveral]) {
        expect(dialects.sqlserver.failure(error)).toBe(failure);
      }
    }
  });
});

it.each(['ELOGIN', 'ESOCKET', 'ETIMEOUT', 'ECONNCLOSED', 'ECLOSE', 'ENOTOPEN'])(
  'without a server, the code of the SQL Server driver decides: %s',
  (code) => {
    for (const error of thrown('No', { code })) expect(dialects.sqlserver.failure(error)).toBe('unavailable');
  },
);

describe('an error of PostgreSQL is classified by its code', () => {
  it.each([
    ['busy', ['40001', '40P01', '55P03']],
    ['duplicate', ['23505']],
    ['no table', ['42P01']],
    ['timeout', ['57014']],
    ['unavailable', ['08006', '28P01', '3D000', '53100', '53300', '57P01', '57P03', 'ECONNREFUSED', 'EAI_AGAIN']],
    ['unavailable', ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']],
    ['other', ['22P02', '23503', '25P02', 'ERR_INVALID_ARG_TYPE']],
  ] as const)('%s: %j', (failure, codes) => {
    for (const code of codes) {
      for (const error of thrown('No', { code })) expect(postgresql.failure(error)).toBe(failure);
    }
  });

  it('regardless of client text in its message', () => {
    const says = 'invalid input syntax: "connection error"';
    for (const error of thrown(says, { code: '22P02' })) expect(postgresql.failure(error)).toBe('other');
  });

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'The server does not support SSL connections',
  ])("without a code, because no server responded, it is classified by the driver's message: %s", (message) => {
    expect(postgresql.failure(new Error(message))).toBe('unavailable');
  });
});

it.each(Object.entries(dialects))(
  'a domain error is not a failure of %s, even if its message contains an error text',
  (_, dialect) => {
    for (const name of ['connection error', 'terminating connection', 'no such table', 'SQLITE_BUSY', '40001']) {
      expect(dialect.failure(new NotFoundError(`Branch "${name}"`))).toBe('other');
    }
  },
);

describe('a failure is reported in one line', () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });
  it.each([
    ['the words of the driver', new Error('no such\n   table'), 'no such table'],
    [
      'the message of its cause',
      new DatabaseUnavailableError('The database cannot be reached', { cause: refused('127.0.0.1:1') }),
      'connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      'the message of the first address of a host with several addresses',
      Object.assign(new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]), { code: 'ECONNREFUSED' }),
      'connect ECONNREFUSED ::1:1',
    ],
    [
      'a default message without any',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'nothing answers there',
    ],
    ['its code without a message', Object.assign(new Error(), { code: 'EPROTO' }), 'EPROTO'],
    ['the text of a value that is not an error', 'No', 'No'],
  ])('%s', (_, error, line) => expect(driverMessage(error)).toBe(line));
});
