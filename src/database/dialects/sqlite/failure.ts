/** Classifies SQLite's errors. */
import type { Failure } from '../requests.js';
import { driverErrors } from '../driver-error.js';

/** A full, read-only, unreadable or deleted file. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT)/;

export function failure(error: unknown): Failure {
  for (const { codes, message } of driverErrors(error)) {
    if (codes.some((code) => code.startsWith('SQLITE_BUSY'))) return 'busy';
    if (codes.some((code) => /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code))) return 'duplicate';
    if (codes.some((code) => UNAVAILABLE.test(code))) return 'unavailable';
    if (message.startsWith('no such table')) return 'no table';
  }
  return 'other';
}
