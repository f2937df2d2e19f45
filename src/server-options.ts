/** What a server is made of: see docs/operations.md for the settings of the same names. */
import type { AuthOptions } from './auth/options.js';
import type { TrustedDocuments } from './http/documents/document-manifest.js';
import type { Limits } from './limits/limits.js';
import type { OperationEntry, RequestEntry } from './telemetry/operation-entry.js';

export interface ServerOptions {
  /** `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /** Whether to bring the database up to date; SQLite's always is. @default false */
  migrateOnStart?: boolean;
  /**
   * How to tell who asks. Without it the server is in development mode: everybody is the admin `local`, or whoever they
   * name in the header x-user-id, and it listens on a loopback address only.
   */
  auth?: AuthOptions | undefined;
  /** The address to listen on, or a name of one; a loopback one in development mode. @default '127.0.0.1' */
  host?: string;
  /** 0 takes any free port. @default 4000 */
  port?: number;
  /** Whether a database that is made here begins with the demo conversation. @default false */
  demo?: boolean;
  /**
   * `redis://` or `rediss://`: through which the servers of one database tell each other of changes. Without it those on
   * PostgreSQL do so through the database, and the others find out by their sweeps.
   */
  redisUrl?: string | undefined;
  /** How often to look for changes that nobody has told of, in milliseconds. @default 5000 */
  sweepIntervalMs?: number;
  /** After how long without an append a draft is finished as far as it came, in milliseconds. @default a day */
  draftExpiryMs?: number;
  /** Origins of pages that may ask, such as https://chat.example, beside the server's own. @default [] */
  allowedOrigins?: readonly string[];
  /** Addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is believed. @default [] */
  trustedProxies?: readonly string[];
  /** How much a client that follows something may leave unread before it is cut off, in bytes. @default 1048576 */
  socketBufferBytes?: number;
  /** How long a WebSocket may stay without an operation, in milliseconds. @default 600000 */
  socketIdleTimeoutMs?: number;
  /**
   * How long stop() waits for what runs, in milliseconds, before it cuts the connections: one on which nothing comes is
   * never done. And how long it waits for the database to close.
   * @default 10000
   */
  shutdownTimeoutMs?: number;
  /**
   * Documents that clients may ask for by their hash, and whether others are refused: see docs/trusted-documents.md.
   * @default { mode: 'off', documents: new Map() }
   */
  trustedDocuments?: TrustedDocuments | undefined;
  /** How much an operation, and whoever sends it, may ask for. @default DEFAULT_LIMITS, where one is not given */
  limits?: Partial<Limits>;
  /** Called with each SQL statement: for counting. */
  onStatement?: (sql: string) => void;
  /** Takes an error that nobody expected, and the id that the client was given. @default console.error */
  logError?: (id: string, error: unknown) => void;
  /** Takes a line about what goes on. @default console.error */
  log?: (line: string) => void;
  /** Takes what there is to log of a GraphQL operation, when it is over. */
  logOperation?: (entry: OperationEntry) => void;
  /** Takes what there is to log of an HTTP request, when it has been answered. */
  logRequest?: (entry: RequestEntry) => void;
  /** Where /metrics is served, for whoever can reach it; without it on the main port, for admins. */
  metricsPort?: number | undefined;
  /** Of a collector of OpenTelemetry that takes traces by OTLP/HTTP, such as http://127.0.0.1:4318. */
  traceEndpoint?: string | undefined;
  /** What traces call this server. @default 'parley' */
  serviceName?: string;
}
