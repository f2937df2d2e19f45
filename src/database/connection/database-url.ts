export type DatabaseUrl = SqliteUrl | ServerUrl;

export interface SqliteUrl {
  provider: 'sqlite';
  /** The file, relative to the working directory, or `:memory:`. */
  path: string;
  shown: string;
}

export interface ServerUrl {
  provider: 'postgresql' | 'sqlserver';
  /** The driver's connection string. */
  url: string;
  schema: string;
  connectionLimit: number;
  /** Whether statements may be prepared, which some PostgreSQL poolers forbid. */
  canPrepare: boolean;
  /** Additional settings of PostgreSQL sessions; null for no settings, not even Parley's. */
  options: string | null;
  shown: string;
}

export type Provider = DatabaseUrl['provider'];

export const IN_MEMORY = ':memory:';

/** The default maximum of connections per server. */
const CONNECTION_LIMIT = 20;

/**
 * @param url `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`
 * @returns its parts, and `shown`: the URL without secrets
 * @throws Error with the reason, without the password
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  if (url === IN_MEMORY) return { provider: 'sqlite', path: IN_MEMORY, shown: url };
  if (url.startsWith('file:')) return sqliteUrl(url);
  if (/^postgres(ql)?:\/\//.test(url)) return postgresqlUrl(url);
  if (url.startsWith('sqlserver://')) return sqlServerUrl(url);
  throw new Error('must begin with file:, postgresql:// or sqlserver://, or be :memory:');
}

function sqliteUrl(url: string): DatabaseUrl {
  if (!/^file:(?!:memory:)\s*[^?\s][^?]*$/.test(url)) {
    throw new Error('must be file: and a path without ?, such as file:./data/parley.db');
  }
  return { provider: 'sqlite', path: url.slice('file:'.length), shown: url };
}

function postgresqlUrl(given: string): DatabaseUrl {
  if (!URL.canParse(given)) {
    throw new Error(
      'is not a valid URL; use postgresql://user:password@host:5432/database, with special characters of the password as %XX',
    );
  }
  const url = new URL(given);
  if (url.pathname.length <= 1) throw new Error('must name a database: postgresql://user:password@host:5432/database');
  // The rest of a password with a slash would appear here, and in messages.
  if (/[/@]/.test(url.pathname.slice(1))) {
    throw new Error(
      'must have a database without / and @ in its name: those of user and password are written %2F and %40',
    );
  }
  // Prisma's parameters, unknown to the driver.
  const schema = checkSchema(take(url, 'schema') ?? 'public');
  const connectionLimit = checkLimit(take(url, 'connection_limit'), 'connection_limit');
  const pgbouncer = take(url, 'pgbouncer') ?? 'false';
  if (!/^(true|false)$/.test(pgbouncer)) throw new Error('must have a pgbouncer of true or false');
  const options = take(url, 'options');
  const user = url.username === '' ? '' : `${url.username}@`;
  return {
    provider: 'postgresql',
    url: url.href,
    schema,
    connectionLimit,
    canPrepare: pgbouncer === 'false',
    options: options === null ? '' : options || null,
    shown: `postgresql://${user}${url.host}${url.pathname}${schema === 'public' ? '' : `?schema=${schema}`}`,
  };
}

function take(url: URL, parameter: string): string | null {
  const value = url.searchParams.get(parameter);
  url.searchParams.delete(parameter);
  return value;
}

/** `sqlserver://host:1433;database=…;user=…;password={…};encrypt=true`; other settings are passed to the driver. */
function sqlServerUrl(url: string): DatabaseUrl {
  const [host = '', ...parts] = url.slice('sqlserver://'.length).split(/;(?![^{]*\})/);
  const parameters = new Map(
    parts.filter((part) => part !== '').map((part) => [part.split('=')[0]?.trim() ?? '', part.replace(/^[^=]*=/, '')]),
  );
  if (host.trim() === '' || !/^[^:]+(:[0-9]+)?$/.test(host)) {
    throw new Error('must name a host: sqlserver://host:1433;database=parley;user=sa;password={secret}');
  }
  const database = parameters.get('database') ?? parameters.get('initial catalog');
  if (database === undefined || database === '') {
    throw new Error('must name a database: sqlserver://host:1433;database=parley;user=sa;password={secret}');
  }
  const schema = checkSchema(parameters.get('schema') ?? 'dbo');
  return {
    provider: 'sqlserver',
    url,
    schema,
    connectionLimit: checkLimit(parameters.get('connectionLimit') ?? null, 'connectionLimit'),
    canPrepare: true,
    options: null,
    shown: `sqlserver://${host};database=${database}${schema === 'dbo' ? '' : `;schema=${schema}`}`,
  };
}

function checkSchema(name: string): string {
  // It becomes part of SQL and of connection settings.
  if (/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)) return name;
  throw new Error('must have a schema of letters, digits and _, at most 63');
}

function checkLimit(value: string | null, name: string): number {
  if (value === null) return CONNECTION_LIMIT;
  // Two pools share them: one for changes, one for queries.
  if (/^[0-9]{1,4}$/.test(value) && Number(value) >= 2) return Number(value);
  throw new Error(`must have a ${name} from 2 to 9999`);
}
