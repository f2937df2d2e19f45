import { RuleError } from '../../conversation/errors.js';

/** One of the errors that a failure is made of. */
export interface DriverError {
  /** Of the database, its driver or the system: a SQLSTATE, SQLITE_BUSY, ECONNREFUSED, a number of SQL Server. */
  codes: string[];
  message: string;
}

/** An error and all that it was made from, outermost first. Those of rules have nothing to do with a driver. */
export function driverErrors(error: unknown): DriverError[] {
  if (error instanceof RuleError) return [];
  const found: DriverError[] = [];
  for (let at = error; typeof at === 'object' && at !== null && found.length < 20;) {
    const { number, code, message, cause, precedingErrors, originalError, errors } = at as Record<string, unknown>;
    found.push({ codes: [text(number), text(code)].filter((each) => each !== ''), message: text(message) });
    // Of several, of one statement or of the addresses of one host, the first.
    at = cause ?? first(precedingErrors) ?? originalError ?? first(errors);
  }
  return found;
}

/** What the system's codes say: they may come without a message. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'it does not answer in time',
};

/** What went wrong, in one line, in the words of whoever knows it best. */
export function driverMessage(error: unknown): string {
  const messages = driverErrors(error).map(({ message, codes: [code = ''] }) => message || (WORDS[code] ?? code));
  const said = messages.findLast((message) => message !== '') ?? String(error);
  return said.replace(/\s+/g, ' ').trim();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}
