/** The log of a process: one JSON object per line on stderr. docs/operations.md describes the entries. */
import { pino, type DestinationStream, type Level } from 'pino';
import type { Config } from '../../config.js';
import { describedError } from './described-error.js';
import type { OperationEntry, RequestEntry } from '../../operation-entry.js';

export interface LoggerOptions {
  level: Config['logLevel'];
  /** Level of operations, and of the start and stop of the process. */
  operationLevel: Level;
  /** @default stderr */
  destination?: DestinationStream;
}

export type Logger = ReturnType<typeof createLogger>;

const STDERR = 2;

/** The container or the service manager knows the process. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

export function createLogger({ level, operationLevel, destination }: LoggerOptions) {
  const logger = pino(
    {
      level,
      // The container, or the service, knows which process it is.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? openStderr(),
  );
  return {
    /** These lines report a failure, or its end. */
    log: (line: string) => logger.warn(line),
    /** Logs an unexpected error, and the id that the client got. */
    logError: (errorId: string, error: unknown) =>
      logger.error({ errorId, error: describedError(error) }, 'Unexpected error'),
    logOperation({ name, durationMs, hasRun: _, reason, errorIds, ...entry }: OperationEntry) {
      if (!logger.isLevelEnabled(operationLevel)) return;
      const shown = { ...entry, name: name?.slice(0, 100) ?? null, durationMs: rounded(durationMs) };
      const more = { ...(reason !== null && { reason }), ...(errorIds.length > 0 && { errorIds }) };
      logger[operationLevel]({ ...shown, ...more }, 'Operation');
    },
    logRequest({ durationMs, ...entry }: RequestEntry) {
      if (logger.isLevelEnabled('debug')) logger.debug({ ...entry, durationMs: rounded(durationMs) }, 'Request');
    },
    /** Logs that the process has started, stops or has stopped. */
    logLife: (message: string, fields: Readonly<Record<string, string>> = {}) =>
      logger[operationLevel](fields, message),
    /** Logs the error that ends the process. */
    logEnd: (error: unknown) => logger.fatal({ error: describedError(error) }, 'The process ends'),
  };
}

/** Writes synchronously, because the process may end after a line. A failed write does not fail the logged operation. */
function openStderr(): DestinationStream {
  const stderr = pino.destination({ fd: STDERR, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  return stderr.on('error', () => {});
}

/** To a hundredth of a millisecond. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
