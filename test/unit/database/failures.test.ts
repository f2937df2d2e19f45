/** What the errors of drivers mean, in the shapes in which they arrive. */
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError, NotFoundError } from '../../../src/conversation/errors.js';
import { postgresql } from '../../../src/database/dialects/postgresql/postgresql.js';
import { sqlite } from '../../../src/database/dialects/sqlite/sqlite.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { driverMessage } from '../../../src/database/opening/driver-error.js';

const dialects = { sqlite, postgresql, sqlserver: sqlserver('dbo', { hasFullTextIndex: false }) };

/** As a driver throws it, and as those hear of it who were told that the database cannot be used. */
const thrown = (message: string, members: object) => {
  const error = Object.assign(new Error(message), members);
  return [error, new DatabaseUnavailableError('The database cannot be used', { cause: error })];
};

describe('an error of SQL Server is known by its number', () => {
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
      // The driver's own code is the same for all of them.
      const inRequest = thrown('What the server says', { code: 'EREQUEST', number, precedingErrors: [] });
      // Of a transaction, only what the error was made from has the number.
      const inEnd = thrown('What the server says', { code: 'EREQUEST', originalError: inRequest[0] });
      // The first of several tells what has happened, and the last one what came of it.
      const ofSeveral = thrown('The statement has ended', { code: 'EREQUEST', precedingErrors: inRequest });
      for (const error of [...inRequest, ...inEnd, ...ofSeveral]) {
        expect(dialects.sqlserver.failure(error)).toBe(failure);
      }
    }
  });
});

it.each(['ELOGIN', 'ESOCKET', 'ETIMEOUT', 'ECONNCLOSED', 'ECLOSE', 'ENOTOPEN'])(
  'without a server, there is the code of the driver of SQL Server: %s',
  (code) => {
    for (const error of thrown('No', { code })) expect(dialects.sqlserver.failure(error)).toBe('unavailable');
  },
);

describe('an error of PostgreSQL is known by its code', () => {
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

  it("whatever it quotes of a client's text", () => {
    const says = 'invalid input syntax: "connection error"';
    for (const error of thrown(says, { code: '22P02' })) expect(postgresql.failure(error)).toBe('other');
  });

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'The server does not support SSL connections',
  ])('or, where there is no server that would have one, by the words of the driver: %s', (message) => {
    expect(postgresql.failure(new Error(message))).toBe('unavailable');
  });
});

it.each(Object.entries(dialects))(
  'what a rule refuses is no failure of %s, whatever a client calls it',
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
      'those of what it was made from',
      new DatabaseUnavailableError('The database cannot be reached', { cause: refused('127.0.0.1:1') }),
      'connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      'those of the first address of a host that has several',
      Object.assign(new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]), { code: 'ECONNREFUSED' }),
      'connect ECONNREFUSED ::1:1',
    ],
    [
      'our own where there are none',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'nothing answers there',
    ],
    ['its code where nobody has any', Object.assign(new Error(), { code: 'EPROTO' }), 'EPROTO'],
    ['that of what is no error', 'No', 'No'],
  ])('%s', (_, error, line) => expect(driverMessage(error)).toBe(line));
});
