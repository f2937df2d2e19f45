import { RuleError } from '../../conversation/errors.js';

/** What the driver said, wherever Prisma has wrapped its error. */
export interface DriverError {
  /** Those of the database and of the driver: a SQLSTATE, SQLITE_BUSY, ECONNREFUSED, the number of SQL Server. */
  codes: string[];
  /** Prisma's name for it, such as DatabaseNotReachable; or ''. */
  kind: string;
  message: string;
}

/** An error and all that it was made from, outermost first. Those of rules have nothing to do with a driver. */
export function driverErrors(error: unknown): DriverError[] {
  if (error instanceof RuleError) return [];
  const found: DriverError[] = [];
  for (let at = error; typeof at === 'object' && at !== null && found.length < 20;) {
    const { originalCode, code, kind, message, originalMessage, errors, cause, meta } = at as Record<string, unknown>;
    found.push({
      codes: [text(originalCode), text(code)].filter((each) => each !== ''),
      kind: text(kind),
      message: text(originalMessage) || text(message),
    });
    const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
    at = cause ?? first ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  }
  return found;
}

/** Prisma's names for a connection that there is not, and what they say: they come without a message. */
export const NO_CONNECTION_KINDS: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'nothing answers there',
  ConnectionClosed: 'the connection was closed',
  SocketTimeout: 'it does not answer in time',
  TlsConnectionError: 'it cannot be reached with TLS in the way that the URL asks for',
};

/** What went wrong, in one line, in the words of whoever knows it best. */
export function driverMessage(error: unknown): string {
  const messages = driverErrors(error).map(
    ({ message, kind, codes }) => message || NO_CONNECTION_KINDS[kind] || kind || (codes[0] ?? ''),
  );
  const said = messages.findLast((message) => message !== '') ?? String(error);
  // Prisma begins with where in our code it was called, and takes its names for words.
  const words = NO_CONNECTION_KINDS[said] ?? said.replace(/^\s*Invalid `[^`]*` invocation:/, '');
  return words.replace(/\s+/g, ' ').trim();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
