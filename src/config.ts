/** The settings of a server, from the environment: the only reader of process.env. */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { AuthOptions } from './auth/options.js';
import { authFaults, authOf, authSettings } from './auth/settings.js';
import { parseDatabaseUrl, parseReplicaUrls } from './database/opening/database-url.js';
import { DEFAULT_LIMITS, DEVELOPMENT_LIMITS, type Limits } from './limits/limits.js';
import { limitSettings, limitsOf, numberWithin, wholeNumber } from './limits/settings.js';
import { NO_SHARED_SECRET } from './http/files/shared-secret.js';
import { isProxyNetwork } from './http/server/client-address.js';
import { isLoopback, NOT_LOOPBACK } from './http/server/loopback.js';
import { isOrigin } from './http/server/origins.js';
import { readManifest, type TrustedDocuments } from './features/trusted-documents/document-manifest.js';
import { messageOf } from './message-of.js';
import { withSecretFiles } from './secret-files.js';
import { parseWebhooks, type Webhook } from './features/webhooks/webhook.js';
import { LOG_LEVELS, type LogLevel } from './telemetry/log-levels.js';

/** The elements of a comma-separated list. */
function elements(list: string): string[] {
  return list
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url);
}

function isRedisUrl(url: string): boolean {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) return false;
  const { username, password, pathname } = new URL(url);
  if (!/^(\/[0-9]*)?$/.test(pathname)) return false;
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A name without a slash is probably a mistake. */
function isAuditTarget(target: string): boolean {
  return ['off', 'stdout', 'stderr', 'otlp'].includes(target) || /[/\\]/.test(target);
}

const collectorUrl = z.string().refine(isHttpUrl, 'must be http:// or https://, and a host').optional();

/** By the names of their variables. */
export const settings = z.object({
  /** Database of the conversations: file: and a path, :memory:, postgresql:// or sqlserver://. */
  DATABASE_URL: z
    .string()
    .superRefine((url, context) => {
      try {
        parseDatabaseUrl(url);
      } catch (error) {
        context.addIssue(messageOf(error));
      }
    })
    .default('file:./data/parley.db'),
  /** Standbys of a PostgreSQL database that run reads. */
  READ_DATABASE_URL: z.string().default('').transform(elements),
  /** Whether to migrate the database at start; SQLite is always migrated. */
  MIGRATE_ON_START: z.enum(['true', 'false'], 'must be true or false').default('false'),
  ...authSettings,
  /** The address to listen on: a loopback address in development mode. */
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  /** The port to listen on; 0 takes any free one. */
  PORT: wholeNumber(0, 65535, 4000),
  /** Whether a new database gets a demo conversation. */
  DEMO: z.enum(['on', 'off'], 'must be on or off').default('on'),
  /** Whether MCP clients can save messages and create branches. */
  MCP_WRITE: z.enum(['true', 'false'], 'must be true or false').default('false'),
  /** Redis through which the servers of one database notify each other. */
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, 'must be redis:// or rediss://, with special characters of the password as %XX')
    .optional(),
  /** Where /metrics is served; without it on the main port, for admins. */
  METRICS_PORT: numberWithin(1, 65535).optional(),
  /** The lowest level that is logged. */
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  /** Where accesses are recorded: off, stdout, stderr, otlp, or the path of a file. */
  AUDIT_LOG: z
    .string()
    .default('off')
    .refine((target) => isAuditTarget(target), 'must be off, stdout, stderr, otlp, or the path of a file with a /'),
  /** A collector of traces, and of the audit log otlp; without it, traces are off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
  /** The whole URL for the audit log otlp, instead of the collector of traces. */
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: collectorUrl,
  /** Name of this server in traces and in the audit log otlp. */
  OTEL_SERVICE_NAME: z.string().default('parley'),
  /** Milliseconds without an append after which a draft is finished with its present content. */
  DRAFT_EXPIRY_MS: wholeNumber(60_000, 31_536_000_000, 86_400_000),
  /** Days that deleted chats can be restored; 0 removes them at once. */
  RECOVERY_DAYS: wholeNumber(0, 365, 7),
  /** Days that the records of deleted chats are kept, for subscribers that reconnect. */
  DELETION_RECORD_DAYS: wholeNumber(1, 3650, 30),
  /** Days after the last change of a chat until it is deleted; 0 keeps chats. */
  RETENTION_DAYS: wholeNumber(0, 36_500, 0),
  /** Bytes of chats and files of each user without a quota of the user's own; 0 for no quotas. */
  STORAGE_QUOTA_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER, 0),
  /**
   * Where the contents of files are stored: file: and the path of a folder, s3:// and a bucket, or database. By default a
   * folder next to a SQLite file, else the database.
   */
  FILES_URL: z.string().min(1).optional(),
  /** Signs URLs of files: the same for all servers of a database, at least 32 characters. Required with REDIS_URL. */
  FILES_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  /** Milliseconds that a file without a message is kept. */
  UNUSED_FILE_EXPIRY_MS: wholeNumber(60_000, 31_536_000_000, 86_400_000),
  /** Milliseconds between checks for changes without a notification. */
  SWEEP_INTERVAL_MS: wholeNumber(10, 3_600_000, 5_000),
  /** Proxies whose X-Forwarded-For is used. */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(elements)
    .refine(
      (networks) => networks.every(isProxyNetwork),
      'must be addresses or networks such as 10.0.0.0/8, with commas between them; a network must not contain all addresses (/0)',
    ),
  /** Other origins whose pages may send requests. */
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform(elements)
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://chat.example, separated by commas, as browsers send them: in small letters, ' +
        'without a path, a / at the end, a default port or *',
    ),
  /** Maximum unread bytes of a subscriber. */
  SOCKET_BUFFER_BYTES: wholeNumber(1024, 1024 ** 3, 1024 ** 2),
  /** Whether clients may request documents of the manifest by hash, and whether others are refused. */
  TRUSTED_DOCUMENTS: z.enum(['off', 'allow', 'only'], 'must be off, allow or only').default('off'),
  /** Path of the manifest that a frontend's codegen writes: its documents by sha256. */
  TRUSTED_DOCUMENTS_MANIFEST: z
    .string()
    .transform((path, context) => {
      try {
        return readManifest(path);
      } catch (error) {
        context.addIssue(messageOf(error));
        return z.NEVER;
      }
    })
    .optional(),
  /** Receivers of signed events, as JSON: see docs/administration/webhooks.md. It has secrets, so that WEBHOOKS_FILE is common. */
  WEBHOOKS: z
    .string()
    .transform((json, context) => {
      try {
        return parseWebhooks(json);
      } catch (error) {
        context.addIssue(messageOf(error));
        return z.NEVER;
      }
    })
    .default([]),
  ...limitSettings,
  /** Milliseconds to wait for running operations when the server stops. */
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 10_000),
});

/** Dependencies between settings. */
const completeSettings = settings
  .refine((data) => data.TRUSTED_DOCUMENTS === 'off' || data.TRUSTED_DOCUMENTS_MANIFEST !== undefined, {
    path: ['TRUSTED_DOCUMENTS_MANIFEST'],
    message: 'must name a file of documents, unless TRUSTED_DOCUMENTS is off',
  })
  .refine((data) => data.AUDIT_LOG !== 'otlp' || auditEndpointOf(data) !== undefined, {
    path: ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'],
    message: 'or OTEL_EXPORTER_OTLP_ENDPOINT must be set for AUDIT_LOG=otlp',
  })
  .superRefine(({ DATABASE_URL, READ_DATABASE_URL }, context) => {
    try {
      parseReplicaUrls(DATABASE_URL, READ_DATABASE_URL);
    } catch (error) {
      context.addIssue({ code: 'custom', path: ['READ_DATABASE_URL'], message: messageOf(error) });
    }
  })
  .superRefine((data, context) => {
    for (const { path, message } of authFaults(data)) context.addIssue({ code: 'custom', path: [path], message });
  });

/** Settings of a process that listens; host names are resolved later. */
const serverSettings = completeSettings
  .refine((data) => authOf(data) !== undefined || isIP(data.HOST) === 0 || isLoopback(data.HOST), {
    path: ['HOST'],
    message: NOT_LOOPBACK,
  })
  .refine((data) => data.REDIS_URL === undefined || data.FILES_SECRET !== undefined, {
    path: ['FILES_SECRET'],
    message: NO_SHARED_SECRET,
  });

export interface Config {
  databaseUrl: string;
  readDatabaseUrls: string[];
  migrateOnStart: boolean;
  auth: AuthOptions | undefined;
  trustedProxies: string[];
  host: string;
  port: number;
  demo: boolean;
  mcpWrite: boolean;
  redisUrl: string | undefined;
  sweepIntervalMs: number;
  draftExpiryMs: number;
  recoveryDays: number;
  deletionRecordDays: number;
  retentionDays: number;
  storageQuotaBytes: number | null;
  filesUrl: string | undefined;
  filesSecret: string | undefined;
  unusedFileExpiryMs: number;
  allowedOrigins: string[];
  socketBufferBytes: number;
  shutdownTimeoutMs: number;
  metricsPort: number | undefined;
  logLevel: LogLevel;
  /** Undefined when it is off. */
  auditLog: string | undefined;
  auditEndpoint: string | undefined;
  traceEndpoint: string | undefined;
  serviceName: string;
  trustedDocuments: TrustedDocuments | undefined;
  webhooks: Webhook[];
  limits: Limits;
}

/**
 * Reads and checks the settings of a server.
 * @throws Error that lists all mistakes, one per line
 */
export function readServerConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return configOf(serverSettings, environment);
}

/** The settings of a command, which does not listen: HOST may be set for a server. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return configOf(completeSettings, environment);
}

/** The secrets of `npm run answer`: a token of the server, and the key of the model's endpoint. */
export function readAnswerSecrets(environment: NodeJS.ProcessEnv = process.env) {
  const { values, mistakes } = withSecretFiles(environment);
  refuse(mistakes);
  return { token: values['ANSWER_TOKEN'], apiKey: values['ANSWER_API_KEY'] };
}

/** @throws Error that lists the mistakes */
function refuse(mistakes: readonly string[]): void {
  if (mistakes.length > 0)
    throw new Error(`These settings are wrong:\n${mistakes.map((each) => `  ${each}`).join('\n')}`);
}

function configOf(schema: typeof completeSettings, environment: NodeJS.ProcessEnv): Config {
  const { values, mistakes } = withSecretFiles(environment);
  const { data, error } = schema.safeParse(values);
  const issues = error?.issues ?? [];
  refuse([...mistakes, ...issues.map(({ path, message }) => `${path.join('.')} ${message}`)]);
  if (data === undefined) throw error;
  return {
    databaseUrl: data.DATABASE_URL,
    readDatabaseUrls: data.READ_DATABASE_URL,
    migrateOnStart: data.MIGRATE_ON_START === 'true',
    auth: authOf(data),
    trustedProxies: data.TRUSTED_PROXIES,
    host: data.HOST,
    port: data.PORT,
    demo: data.DEMO === 'on',
    mcpWrite: data.MCP_WRITE === 'true',
    redisUrl: data.REDIS_URL,
    sweepIntervalMs: data.SWEEP_INTERVAL_MS,
    draftExpiryMs: data.DRAFT_EXPIRY_MS,
    recoveryDays: data.RECOVERY_DAYS,
    deletionRecordDays: data.DELETION_RECORD_DAYS,
    retentionDays: data.RETENTION_DAYS,
    storageQuotaBytes: data.STORAGE_QUOTA_BYTES === 0 ? null : data.STORAGE_QUOTA_BYTES,
    filesUrl: data.FILES_URL,
    filesSecret: data.FILES_SECRET,
    unusedFileExpiryMs: data.UNUSED_FILE_EXPIRY_MS,
    allowedOrigins: data.ALLOWED_ORIGINS,
    socketBufferBytes: data.SOCKET_BUFFER_BYTES,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
    metricsPort: data.METRICS_PORT,
    logLevel: data.LOG_LEVEL,
    auditLog: data.AUDIT_LOG === 'off' ? undefined : data.AUDIT_LOG,
    auditEndpoint: data.AUDIT_LOG === 'otlp' ? auditEndpointOf(data) : undefined,
    traceEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    serviceName: data.OTEL_SERVICE_NAME,
    trustedDocuments: trustedDocumentsOf(data),
    webhooks: data.WEBHOOKS,
    limits: limitsOf(data, authOf(data) === undefined ? DEVELOPMENT_LIMITS : DEFAULT_LIMITS),
  };
}

function auditEndpointOf(data: z.infer<typeof settings>): string | undefined {
  const { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: logs, OTEL_EXPORTER_OTLP_ENDPOINT: all } = data;
  return logs ?? (all && `${all.replace(/\/$/, '')}/v1/logs`);
}

function trustedDocumentsOf(data: z.infer<typeof settings>): TrustedDocuments | undefined {
  const { TRUSTED_DOCUMENTS: mode, TRUSTED_DOCUMENTS_MANIFEST: documents } = data;
  return mode === 'off' || documents === undefined ? undefined : { mode, documents };
}
