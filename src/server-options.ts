/** Options of a server: see docs/operations.md for the settings with the same names. */
import type { FeatureOptions } from './features/all-features.js';
import type { AuthOptions } from './auth/options.js';
import type { Limits } from './limits/limits.js';
import type { OperationEntry, RequestEntry } from './telemetry/operation-entry.js';

export interface ServerOptions extends FeatureOptions {
  /** `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /**
   * `postgresql://` URLs of standbys that run reads of queries and exports.
   * @default []
   */
  readDatabaseUrls?: readonly string[];
  /**
   * Whether to migrate the database; SQLite is always migrated.
   * @default false
   */
  migrateOnStart?: boolean;
  /**
   * Authentication. Without it the server is in development mode: every client is the admin `local`, or the user in its
   * header x-user-id, and the server listens on loopback only.
   */
  auth?: AuthOptions | undefined;
  /**
   * The address to listen on, or a name of one; loopback in development mode.
   * @default '127.0.0.1'
   */
  host?: string;
  /** 0 takes any free port. @default 4000 */
  port?: number;
  /**
   * Whether a newly created database gets the demo conversation.
   * @default false
   */
  demo?: boolean;
  /**
   * `redis://` or `rediss://`: connects the servers of one database. Without it, servers on PostgreSQL notify each
   * other through the database, and others find changes by their sweeps.
   */
  redisUrl?: string | undefined;
  /**
   * Milliseconds between checks for changes without a notification.
   * @default 5000
   */
  sweepIntervalMs?: number;
  /**
   * Milliseconds without an append after which a draft is finished with its present content.
   * @default a day
   */
  draftExpiryMs?: number;
  /**
   * Days that deleted chats can be restored; 0 removes them at once.
   * @default 7
   */
  recoveryDays?: number;
  /**
   * Days that the id, owner and actor of a deleted chat are kept, for subscribers that reconnect.
   * @default 30
   */
  deletionRecordDays?: number;
  /**
   * Days after the last change of a chat until it is deleted; 0 keeps chats. See docs/administration/retention.md.
   * @default 0
   */
  retentionDays?: number;
  /**
   * Where the contents of files are stored: `file:` and the path of a folder, `s3://` and a bucket, or `database`.
   * @default a folder next to a SQLite file, else the database
   */
  filesUrl?: string | undefined;
  /**
   * Signs URLs of files: the same for all servers of a database. Required with `redisUrl`.
   * @default random, for this process
   */
  filesSecret?: string | undefined;
  /**
   * Milliseconds that a file without a message is kept.
   * @default a day
   */
  unusedFileExpiryMs?: number;
  /**
   * Other origins whose pages may send requests, such as https://chat.example.
   * @default []
   */
  allowedOrigins?: readonly string[];
  /**
   * Addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is used.
   * @default []
   */
  trustedProxies?: readonly string[];
  /**
   * Maximum unread bytes of a subscriber before it is disconnected.
   * @default 1048576
   */
  socketBufferBytes?: number;
  /**
   * Milliseconds that a WebSocket may stay without an operation.
   * @default 600000
   */
  socketIdleTimeoutMs?: number;
  /**
   * Milliseconds that stop() waits for running operations before it cuts their connections, and for the database to
   * close.
   * @default 10000
   */
  shutdownTimeoutMs?: number;
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
  /** Port of /metrics, for all that can reach it; without it on the main port, for admins. */
  metricsPort?: number | undefined;
  /** An OpenTelemetry collector of traces by OTLP/HTTP, such as http://127.0.0.1:4318. */
  traceEndpoint?: string | undefined;
  /**
   * Name of this server in traces and in the audit log `otlp`.
   * @default 'parley'
   */
  serviceName?: string;
}
