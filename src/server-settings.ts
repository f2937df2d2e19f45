/** The settings that are options of createServer, of the core and of all features. */
import { z } from 'zod';
import { parseDatabaseUrl } from './database/connection/database-url.js';
import * as features from './features/all-settings.js';
import { isProxyNetwork } from './http/server/client-address.js';
import { isOrigin } from './http/server/origins.js';
import { collectorUrl, elements, flag, parsed, setting, wholeNumber } from './settings/declare-setting.js';
import type { Joined } from './settings/setting.js';

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

const coreSettings = {
  databaseUrl: setting('DATABASE_URL', parsed(checkedDatabaseUrl), {
    byDefault: 'file:./data/parley.db',
    isSecret: true,
  }).means('The database: see [Databases](databases.md#connection-strings)'),
  /** Whether to migrate the database; SQLite is always migrated. @default false */
  migrateOnStart: flag('MIGRATE_ON_START', false).means(
    '`true` migrates a database server at start; a SQLite file is always migrated',
  ),
  /** The address to listen on, or a name of one; loopback in development mode. @default '127.0.0.1' */
  host: setting('HOST', z.string(), { byDefault: '127.0.0.1' }).means(
    'The address to listen on; a loopback address in development mode. `0.0.0.0` in the container',
  ),
  /** 0 takes any free port. @default 4000 */
  port: wholeNumber('PORT', 0, 65535, 4000).means('The port; `0` selects a free one'),
  /**
   * `redis://` or `rediss://`: connects the servers of one database. Without it, servers on PostgreSQL notify each
   * other through the database, and others find changes by their sweeps.
   */
  redisUrl: setting(
    'REDIS_URL',
    z.string().refine(isRedisUrl, 'must be redis:// or rediss://, with special characters of the password as %XX'),
    { isSecret: true },
  ).means('Redis as the bus between the servers of one database'),
  /** An OpenTelemetry collector of traces by OTLP/HTTP, such as http://127.0.0.1:4318. */
  traceEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', collectorUrl).means(
    'The collector of traces, and of the [audit log](#audit-log) `otlp`',
  ),
  /** Name of this server in traces and in the audit log `otlp`. @default 'parley' */
  serviceName: setting('OTEL_SERVICE_NAME', z.string(), { byDefault: 'parley' }).means(
    'The name of the service in traces and in the audit log `otlp`',
  ),
  /** Milliseconds between checks for changes without a notification. @default 5000 */
  sweepIntervalMs: wholeNumber('SWEEP_INTERVAL_MS', 10, 3_600_000, 5_000).means(
    'Interval of the sweep for changes that the bus did not deliver',
  ),
  /** Addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is used. @default [] */
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    elements.refine(
      (networks) => networks.every(isProxyNetwork),
      'must be addresses or networks such as 10.0.0.0/8, with commas between them; a network must not contain all addresses (/0)',
    ),
    { byDefault: [] },
  ).means(
    'Addresses and networks, not all (`/0`), whose `X-Forwarded-For` is trusted, separated by commas: see [Reverse proxy](#reverse-proxy)',
  ),
  /** Other origins whose pages may send requests, such as https://chat.example. @default [] */
  allowedOrigins: setting(
    'ALLOWED_ORIGINS',
    elements.refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://chat.example, separated by commas, as browsers send them: in small letters, ' +
        'without a path, a / at the end, a default port or *',
    ),
    { byDefault: [] },
  ).means(
    "Origins of pages that may send requests, besides the server's own: `https://chat.example`, separated by commas",
  ),
  /** Maximum unread bytes of a subscriber before it is disconnected. @default 1048576 */
  socketBufferBytes: wholeNumber('SOCKET_BUFFER_BYTES', 1024, 1024 ** 3, 1024 ** 2).means(
    'Unread bytes after which a subscriber is disconnected',
  ),
  /**
   * Milliseconds that stop() waits for running operations before it cuts their connections, and for the database to
   * close.
   * @default 10000
   */
  shutdownTimeoutMs: wholeNumber('SHUTDOWN_TIMEOUT_MS', 0, 3_600_000, 10_000).means(
    'Time for running operations to finish at shutdown',
  ),
};

/** By the names of the options of createServer. */
export const settings: typeof coreSettings & Joined<(typeof features)[keyof typeof features]> = Object.assign(
  {},
  coreSettings,
  ...Object.values(features),
) as typeof settings;

function checkedDatabaseUrl(url: string): string {
  parseDatabaseUrl(url);
  return url;
}
