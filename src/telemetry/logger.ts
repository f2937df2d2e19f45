/** The log of a process: one JSON object a line, on stderr. docs/operations.md names what is in it. */
import { pino, type DestinationStream, type Level } from 'pino';
import { describedError } from './described-error.js';
import type { LogLevel } from './log-levels.js';
import type { OperationEntry, RequestEntry } from './operation-entry.js';

export interface LoggerOptions {
  level: LogLevel;
  /** At which level operations are told, and that the process has started and stops. */
  operationLevel: Level;
  /** Stderr unless given. */
  destination?: DestinationStream;
}

export interface Logger {
  /** A line about what goes on. */
  log(line: string): void;
  /** An error that nobody expected, and the id that the client was given. */
  logError(id: string, error: unknown): void;
  logOperation(entry: OperationEntry): void;
  logRequest(entry: RequestEntry): void;
  /** The process has started, stops or has stopped. */
  logLife(message: string, fields?: Readonly<Record<string, string>>): void;
  /** The error that ends the process. */
  logEnd(error: unknown): void;
}

const STDERR = 2;

/** Bytes of lines kept for the next write while writing fails; later lines are dropped. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

export function createLogger({ level, operationLevel, destination }: LoggerOptions): Logger {
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
    // All that is told so is that something was lost, or is back.
    log: (line) => logger.warn(line),
    logError: (errorId, error) => logger.error({ errorId, error: describedError(error) }, 'Unexpected error'),
    logOperation({ name, durationMs, hasRun: _, reason, errorIds, ...entry }) {
      if (!logger.isLevelEnabled(operationLevel)) return;
      const shown = { ...entry, name: name?.slice(0, 100) ?? null, durationMs: rounded(durationMs) };
      const more = { ...(reason !== null && { reason }), ...(errorIds.length > 0 && { errorIds }) };
      logger[operationLevel]({ ...shown, ...more }, 'Operation');
    },
    logRequest({ durationMs, ...entry }) {
      if (logger.isLevelEnabled('debug')) logger.debug({ ...entry, durationMs: rounded(durationMs) }, 'Request');
    },
    logLife: (message, fields = {}) => logger[operationLevel](fields, message),
    logEnd: (error) => logger.fatal({ error: describedError(error) }, 'The process ends'),
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
