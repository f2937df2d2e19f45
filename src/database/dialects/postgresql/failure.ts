/** Classifies errors of PostgreSQL and its driver. */
import { driverErrors } from '../../opening/driver-error.js';
import type { Failure } from '../requests.js';

/** Conflicts: serialization failures, deadlocks, lock timeouts. */
const BUSY = /^(40001|40P01|55P03)$/;
/** No connection, a starting, stopping or full server, a full disk, a read-only standby. */
const UNAVAILABLE = /^(08\w{3}|57P0[1235]|53[134]00|25006|28\w{3}|3D000|E(AI_)?[A-Z]+)$/;
/** An untrusted certificate. */
const NO_TLS = /^(CERT|CRL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)_/;
/** The server has ended a statement by statement_timeout. */
const TIMEOUT = '57014';
const NO_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|connection error|was closed and is not queryable|SSL connection/;

export function failure(error: unknown): Failure {
  for (const { codes, message } of driverErrors(error)) {
    if (codes.some((code) => BUSY.test(code))) return 'busy';
    if (codes.includes(TIMEOUT)) return 'timeout';
    if (codes.includes('42P01')) return 'no table';
    if (codes.includes('42501')) return 'denied';
    if (codes.includes('23505')) return 'duplicate';
    // Messages with a code come from the server and may quote client input.
    const isCut = codes.length === 0 && NO_CONNECTION.test(message);
    if (isCut || codes.some((code) => UNAVAILABLE.test(code) || NO_TLS.test(code))) return 'unavailable';
  }
  return 'other';
}
