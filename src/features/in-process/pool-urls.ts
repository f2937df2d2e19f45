/** The `pool` of a store, a connection string or an object as the drivers take it, as a database URL. */
import { invalid } from '@parley/context/server';
import { checkPlain, readText } from './store-options.js';

/** The used settings of node-postgres. */
export interface PostgresPool {
  connectionString?: string;
  /** @default 'localhost' */
  host?: string;
  /** @default 5432 */
  port?: number;
  user?: string;
  password?: string;
  /** @default the name of the user */
  database?: string;
  /** The maximum number of connections. @default 20 */
  max?: number;
  /** Whether to use TLS. Set its other options as parameters of a connection string. @default false */
  ssl?: boolean;
}

/** The used settings of mssql. */
export interface SqlServerPool {
  server: string;
  /** @default 1433 */
  port?: number;
  database: string;
  user?: string;
  password?: string;
  options?: {
    /** @default true */
    encrypt?: boolean;
    /** @default false */
    trustServerCertificate?: boolean;
  };
  pool?: {
    /** The maximum number of connections. @default 20 */
    max?: number;
  };
}

/** @throws ContextError that names the wrong option */
export function postgresUrl(pool: string | PostgresPool): string {
  if (typeof pool === 'string') return postgresOnly(pool);
  const names = ['connectionString', 'host', 'port', 'user', 'password', 'database', 'max', 'ssl'] as const;
  const {
    connectionString,
    host = 'localhost',
    port = 5432,
    user,
    password,
    max,
    ssl,
    ...rest
  } = checkPlain(pool, 'pool', names);
  const url = readUrl(connectionString === undefined ? `postgresql://${host}:${port}` : connectionString);
  if (user !== undefined) url.username = encodeURIComponent(readText(user, 'pool.user'));
  if (password !== undefined) url.password = encodeURIComponent(readText(password, 'pool.password'));
  const database = rest.database ?? (url.pathname.length > 1 ? undefined : user);
  if (database !== undefined) url.pathname = `/${encodeURIComponent(readText(database, 'pool.database'))}`;
  if (max !== undefined) url.searchParams.set('connection_limit', String(max));
  if (ssl !== undefined && typeof ssl !== 'boolean') throw invalid('pool.ssl must be true or false', 'pool.ssl');
  if (ssl === true) url.searchParams.set('sslmode', 'require');
  return postgresOnly(url.href);
}

function postgresOnly(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) throw invalid('pool must begin with postgresql://', 'pool');
  return url;
}

function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalid('pool must have a host and a port that make a URL', 'pool');
  return new URL(text);
}

/** The names of ADO.NET's settings, in lower case and without spaces, as those of the URL. */
const SETTINGS: Readonly<Record<string, string>> = {
  database: 'database',
  initialcatalog: 'database',
  userid: 'user',
  user: 'user',
  uid: 'user',
  password: 'password',
  pwd: 'password',
  encrypt: 'encrypt',
  trustservercertificate: 'trustServerCertificate',
  maxpoolsize: 'connectionLimit',
  applicationname: 'applicationName',
};
const SERVER_NAMES: readonly string[] = ['server', 'datasource', 'address', 'addr'];

/** @throws ContextError that names the wrong option */
export function sqlServerUrl(pool: string | SqlServerPool): string {
  if (typeof pool === 'string') return pool.startsWith('sqlserver://') ? pool : urlOfSettings(pool);
  const names = ['server', 'port', 'database', 'user', 'password', 'options', 'pool'] as const;
  const { server, port = 1433, options = {}, pool: connections = {}, ...rest } = checkPlain(pool, 'pool', names);
  const { encrypt, trustServerCertificate } = checkPlain(options, 'pool.options', [
    'encrypt',
    'trustServerCertificate',
  ]);
  const { max } = checkPlain(connections, 'pool.pool', ['max']);
  const settings = { ...rest, encrypt, trustServerCertificate, connectionLimit: max };
  const host = `${readText(server, 'pool.server')}:${port}`;
  return settingsUrl(
    host,
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
}

/** A connection string of ADO.NET: `Server=host,1433;Database=…;User Id=…;Password=…`. */
function urlOfSettings(text: string): string {
  let host = '';
  const settings: [string, string][] = [];
  for (const [, name = '', quoted, plain = ''] of text.matchAll(/([^=;]+)=\s*(?:"([^"]*)"|([^;]*))/g)) {
    const value = quoted ?? plain.trim();
    const known = name.toLowerCase().replaceAll(/\s/g, '');
    if (SERVER_NAMES.includes(known)) host = value.replace(/^tcp:/i, '').replace(',', ':');
    else if (SETTINGS[known] !== undefined) settings.push([SETTINGS[known], value]);
    else throw invalid(`pool has the setting "${name.trim()}", which is unknown`, 'pool');
  }
  if (host === '') throw invalid('pool must name a server: Server=host,1433;Database=parley;User Id=sa;…', 'pool');
  return settingsUrl(host, settings);
}

function settingsUrl(host: string, settings: [string, unknown][]): string {
  const parts = settings.map(([name, value]) => {
    // Braces quote a value, and cannot be in it.
    if (/[{}]/.test(String(value))) throw invalid(`pool must not have { or } in its ${name}`, 'pool');
    return `${name}={${String(value)}}`;
  });
  return ['sqlserver://' + host, ...parts].join(';');
}
