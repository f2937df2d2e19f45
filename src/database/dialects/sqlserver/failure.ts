/** Classifies errors of SQL Server and its driver. */
import type { Failure } from '../requests.js';
import { driverErrors } from '../driver-error.js';

const BUSY = [
  // A deadlock, a lock timeout, a snapshot conflict.
  ...['1205', '1222', '3960', '3961', '40001'],
  // A lock that is missing or cannot be allocated, a work table that is missing.
  ...['617', '1203', '1204', '1221'],
];
/** A duplicate key, in a constraint or an index. */
const DUPLICATE = ['2627', '2601'];
const NO_TABLE = '208';
const DENIED = '229';
/** Full-text errors: a missing, stopped or failing index or word breaker. */
const NO_INDEX = /^(76|300)\d\d$/;
const UNAVAILABLE = [
  // The connection was cut, by the network, a shutdown or KILL.
  ...['64', '121', '233', '10053', '10054', '10060', '10061', '596', '6005'],
  // Login refused: wrong credentials, too many connections, missing, single-user, starting or paused database.
  ...['4060', '5828', '17142', '18401', '18451', '18452', '18456', '18461', '18470', '18486', '18487', '18488'],
  // The database is recovering, restoring, offline, a secondary replica or read-only.
  ...['921', '922', '924', '927', '942', '945', '976', '978', '983', '3906', '3908', '4221'],
  // The log, disk or memory is full, or the log is lost.
  ...['701', '802', '1101', '1105', '8645', '8651', '9001', '9002', '40544'],
  // Azure moves or throttles the database, or ends a session.
  ...['10928', '10929', '10936', '40197', '40501', '40540', '40613', '42108', '42109', '49918', '49919', '49920'],
  ...['40549', '40550', '40551', '40552', '40553'],
];
/** Messages of the driver and the system for lost connections. */
const NO_CONNECTION =
  /^E(SOCKET|CONNCLOSED|TIMEOUT|LOGIN|NOTOPEN|INSTLOOKUP|INVALIDSTATE|ENCRYPT|CLOSE|CONNRESET|CONNREFUSED|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;
/** A statement that was cancelled, or that exceeded its own timeout; a timeout to connect has the same code. */
const CANCELLED = 'ECANCEL';
const TOO_LONG = /^Timeout: Request failed to complete/;
/** Errors without a code: the pool's limit, and PostgreSQL under Babelfish. */
const NO_CONNECTION_MESSAGE =
  /acquire a connection from the pool|terminating connection|database system is (starting up|shutting down|in recovery)/;

export function failure(error: unknown): Failure {
  for (const { codes, message } of driverErrors(error)) {
    const isOneOf = (numbers: readonly string[]) => codes.some((code) => numbers.includes(code));
    if (isOneOf(BUSY)) return 'busy';
    if (isOneOf(DUPLICATE)) return 'duplicate';
    if (isOneOf([NO_TABLE])) return 'no table';
    if (isOneOf([DENIED])) return 'denied';
    if (codes.some((code) => NO_INDEX.test(code))) return 'no index';
    if (isOneOf([CANCELLED]) || TOO_LONG.test(message)) return 'timeout';
    const isCut = codes.some((code) => NO_CONNECTION.test(code)) || NO_CONNECTION_MESSAGE.test(message);
    if (isCut || isOneOf(UNAVAILABLE)) return 'unavailable';
  }
  return 'other';
}
