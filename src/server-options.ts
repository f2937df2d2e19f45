/** Options of a server: see docs/operations.md for the settings with the same names. */
import type { RuleOptions } from './features/all-setting-rules.js';
import type { Limits } from './limits/limits.js';
import type { settings } from './server-settings.js';
import type { OptionsOf } from './settings/setting.js';
import type { OperationEntry, RequestEntry } from './operation-entry.js';

export interface ServerOptions extends OptionsOf<typeof settings>, RuleOptions {
  /** `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /**
   * Milliseconds that a WebSocket may stay without an operation.
   * @default 600000
   */
  socketIdleTimeoutMs?: number;
  /**
   * Limits of operations and of their senders.
   * @default DEFAULT_LIMITS for those that are not given
   */
  limits?: Partial<Limits>;
  /** Ends a migration of the database, without changes: createServer then rejects. It does not stop the server. */
  signal?: AbortSignal | undefined;
  /** Called with each SQL statement, for counting. */
  onStatement?: (sql: string) => void;
  /**
   * Receives an unexpected error, and the id that the client got.
   * @default console.error
   */
  logError?: (id: string, error: unknown) => void;
  /**
   * Receives a log line.
   * @default console.error
   */
  log?: (line: string) => void;
  /** Receives the record of a GraphQL operation at its end. */
  logOperation?: (entry: OperationEntry) => void;
  /** Receives the record of an HTTP request after its response. */
  logRequest?: (entry: RequestEntry) => void;
}
