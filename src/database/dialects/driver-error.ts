import { RuleError } from '../../conversation/errors.js';

/** One of the errors in a failure's cause chain. */
export interface DriverError {
  /** A code of the database, driver or system: a SQLSTATE, SQLITE_BUSY, ECONNREFUSED, a SQL Server number. */
  codes: string[];
  message: string;
}

/** An error and its causes, outermost first. Errors of rules have no driver errors. */
export function driverErrors(error: unknown): DriverError[] {
  if (error instanceof RuleError) return [];
  const found: DriverError[] = [];
  for (let at = error; typeof at === 'object' && at !== null && found.length < 20;) {
    const { number, code, message, cause, precedingErrors, originalError, errors } = at as Record<string, unknown>;
    found.push({ codes: [text(number), text(code)].filter((each) => each !== ''), message: text(message) });
    // The first error stands for an aggregate, such as the failures of a host's addresses.
    at = cause ?? first(precedingErrors) ?? originalError ?? first(errors);
  }
  return found;
}

/** Messages for system codes, whose errors may have none. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'it does not answer in time',
};

/** The most specific reason of a failure, in one line. */
export function driverMessage(error: unknown): string {
  const messages = driverErrors(error).map(({ message, codes: [code = ''] }) => message || (WORDS[code] ?? code));
  const reason = messages.findLast((message) => message !== '') ?? String(error);
  return reason.replace(/\s+/g, ' ').trim();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}
