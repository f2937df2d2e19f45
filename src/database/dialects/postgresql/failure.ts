/** Classifies errors of PostgreSQL and its driver. */
import { driverErrors } from '../driver-error.js';
import type { Failure } from '../requests.js';

/** Conflicts: serialization failures, deadlocks, lock timeouts. */
const BUSY = /^(40001|40P01|55P03)$/;
/** No connection, a starting, stopping or full server, no memory, a full or failing disk, a read-only database. */
const UNAVAILABLE = /^(08\w{3}|57P0[12345]|53[1234]00|58030|25006|28\w{3}|3D000|E(AI_)?[A-Z]+)$/;
/** A transaction is refused because of an earlier failure in it. */
const ABORTED = '25P02';
/** A standby, or default_transaction_read_only. */
const READ_ONLY = '25006';
/** Reasons why a database that answers refuses changes, by code. */
const REFUSALS: Readonly<Record<string, string>> = {
  [READ_ONLY]: 'The database is read-only',
  '53100': 'The disk of the database is full',
  '58030': 'The disk of the database fails',
};
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

/** Whether a statement failed only because an earlier one of its transaction had failed. */
export function isAborted(error: unknown): boolean {
  return hasCode(error, ABORTED);
}

/** Whether the session or its server permits no changes. A session keeps this setting when its database changes it. */
export function isReadOnly(error: unknown): boolean {
  return hasCode(error, READ_ONLY);
}

/** The reason why the database refuses changes although it answers; null for other errors. */
export function refusal(error: unknown): string | null {
  const codes = driverErrors(error).flatMap((each) => each.codes);
  return codes.map((code) => REFUSALS[code]).find((reason) => reason !== undefined) ?? null;
}

function hasCode(error: unknown, wanted: string): boolean {
  return driverErrors(error).some(({ codes }) => codes.includes(wanted));
}
