/** The options of a server with their defaults, and everything that is checked before the database is opened. */
import { randomUUID } from 'node:crypto';
import { developmentMode } from '../auth/development.js';
import { DatabaseUnavailableError } from '../conversation/errors.js';
import { createAddressReader, createConnectionAddressReader } from '../http/server/client-address.js';
import { loopbackAddress } from '../http/server/loopback.js';
import { checkTemporaryFolder } from '../system/locked-folders.js';
import { DEFAULT_LIMITS, DEVELOPMENT_LIMITS } from '../limits/limits.js';
import { checkFeatures, loadAuthenticator } from '../features/all-features.js';
import type { ServerOptions } from '../server-options.js';
import { settings } from '../server-settings.js';
import { optionDefaultsOf, type ValuesOf } from '../settings/setting.js';
import { schema } from './schema.js';

/** A statement is cancelled this long after the deadline of its operation, whose own error is the better answer. */
const STATEMENT_GRACE_MS = 500;

const DEFAULTS = {
  socketIdleTimeoutMs: 10 * 60_000,
  logError: (id: string, error: unknown) => console.error(`Unexpected error ${id}:`, error),
  log: (line: string) => console.error(line),
} satisfies Partial<ServerOptions>;

type WithDefaults = ServerOptions &
  ValuesOf<typeof settings> & { [Name in keyof typeof DEFAULTS]: NonNullable<ServerOptions[Name]> };

export type Settings = Awaited<ReturnType<typeof readSettings>>;

/** @throws Error when an option is wrong, such as a host that is not a loopback address in development mode */
export async function readSettings(options: ServerOptions) {
  const given: Partial<ServerOptions> = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const complete = withSafeLog({ ...optionDefaultsOf(settings), ...DEFAULTS, ...given } as WithDefaults);
  const { auth, host, log, logError, trustedProxies } = complete;
  const features = checkFeatures(complete, schema);
  checkTemporaryFolder();
  const authenticator = auth === undefined ? developmentMode : await loadAuthenticator(auth);
  const { isDevelopment } = authenticator;
  const limits = { ...(isDevelopment ? DEVELOPMENT_LIMITS : DEFAULT_LIMITS), ...complete.limits };
  const reportError = (error: unknown) => logError(randomUUID(), error);
  return {
    ...complete,
    ...features,
    authenticator,
    isDevelopment,
    limits,
    // Development mode counts no addresses: its proxy may be a frontend's own.
    addressOf: createAddressReader(trustedProxies, isDevelopment ? () => {} : log),
    connectionAddressOf: createConnectionAddressReader(trustedProxies),
    address: isDevelopment ? await loopbackAddress(host) : host,
    statementTimeouts: {
      readMs: limits.queryTimeoutMs + STATEMENT_GRACE_MS,
      writeMs: limits.mutationTimeoutMs + STATEMENT_GRACE_MS,
    },
    reportError,
    /** The same, except while the database is unavailable: the next sweep reads the missed changes. */
    reportSweepError: (error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) reportError(error);
    },
  };
}

/** A log function that throws or rejects must not fail the operation that it logs, or end the process. */
function withSafeLog(options: WithDefaults): WithDefaults {
  const { log, logError, logOperation, logRequest } = options;
  const safe =
    <Entry extends unknown[]>(write: (...entry: Entry) => unknown) =>
    (...entry: Entry) =>
      void ignoreErrors(() => write(...entry));
  return {
    ...options,
    log: safe(log),
    logError: safe(logError),
    ...(logOperation && { logOperation: safe(logOperation) }),
    ...(logRequest && { logRequest: safe(logRequest) }),
  };
}

async function ignoreErrors(write: () => unknown): Promise<void> {
  try {
    await write();
  } catch {
    // The error has no other log.
  }
}
