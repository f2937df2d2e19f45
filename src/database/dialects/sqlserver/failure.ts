/** What the errors of SQL Server and of its driver mean. */
import type { Failure } from '../requests.js';
import { driverErrors } from '../../opening/driver-error.js';

/** A deadlock that was lost, a lock that was waited for too long, a snapshot that somebody else has changed. */
const BUSY = ['1205', '1222', '3960', '40001'];
/** A row with this key, in a constraint or in an index. */
const DUPLICATE = ['2627', '2601'];
const NO_TABLE = '208';
const DENIED = '229';
const UNAVAILABLE = [
  // The connection was cut, by the network or by the server, which shuts down or was told to end the session.
  ...['64', '121', '233', '10053', '10054', '10060', '10061', '596', '6005'],
  // Nobody is let in: wrong user or password, too many, no such database, or a single-user, starting or paused one.
  ...['4060', '5828', '17142', '18401', '18451', '18452', '18456', '18461', '18470', '18486', '18487', '18488'],
  // The database is recovering, restoring, offline, a replica that takes no queries, or cannot be written.
  ...['921', '922', '924', '927', '942', '945', '976', '978', '983', '3906', '3908'],
  // The log, the disk or the memory is full, or the log is lost.
  ...['701', '802', '1101', '1105', '8645', '9001', '9002'],
  // Azure moves or throttles it.
  ...['10928', '10929', '10936', '40197', '40501', '40540', '40613', '42108', '42109', '49918', '49919', '49920'],
];
/** The driver's words, and the system's, for what ends without an answer of the server. */
const NO_CONNECTION =
  /^E(SOCKET|CONNCLOSED|TIMEOUT|LOGIN|NOTOPEN|INSTLOOKUP|INVALIDSTATE|ENCRYPT|CLOSE|CONNRESET|CONNREFUSED|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;
/** What has no code: the pool's own limit, and PostgreSQL behind Babelfish. */
const NO_CONNECTION_MESSAGE =
  /acquire a connection from the pool|terminating connection|database system is (starting up|shutting down|in recovery)/;

export function failure(error: unknown): Failure {
  for (const { codes, message } of driverErrors(error)) {
    const isOneOf = (numbers: readonly string[]) => codes.some((code) => numbers.includes(code));
    if (isOneOf(BUSY)) return 'busy';
    if (isOneOf(DUPLICATE)) return 'duplicate';
    if (isOneOf([NO_TABLE])) return 'no table';
    if (isOneOf([DENIED])) return 'denied';
    const isCut = codes.some((code) => NO_CONNECTION.test(code)) || NO_CONNECTION_MESSAGE.test(message);
    if (isCut || isOneOf(UNAVAILABLE)) return 'unavailable';
  }
  return 'other';
}
