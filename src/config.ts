/** The settings of a server, from the environment: the only reader of process.env. */
import { z } from 'zod';
import { parseDatabaseUrl } from './database/database-url.js';

const wholeNumber = (low: number, high: number, byDefault: number) => {
  const message = `must be a whole number from ${low} to ${high}`;
  return z
    .string()
    .regex(/^[0-9]{1,12}$/, message)
    .default(String(byDefault))
    .transform(Number)
    .refine((value) => value >= low && value <= high, message);
};

/** One that a browser can name: a pattern matches none. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

function isRedisUrl(url: string): boolean {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

const settings = z.object({
  /** Where conversations are kept: file: and a path, :memory:, postgresql:// or sqlserver://. */
  DATABASE_URL: z
    .string()
    .superRefine((url, context) => {
      try {
        parseDatabaseUrl(url);
      } catch (error) {
        context.addIssue(error instanceof Error ? error.message : String(error));
      }
    })
    .default('file:./data/parley.db'),
  /** Whether to bring the database up to date at start; SQLite's always is. */
  MIGRATE_ON_START: z.enum(['true', 'false'], 'must be true or false').default('false'),
  /** The address to listen on: a loopback one, as long as the server takes everybody for its admin. */
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  /** The port to listen on; 0 takes any free one. */
  PORT: wholeNumber(0, 65535, 4000),
  /** Whether a new database begins with a small conversation to look at. */
  DEMO: z.enum(['on', 'off'], 'must be on or off').default('on'),
  /** Through which servers of one database tell each other of changes. */
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, 'must be redis:// or rediss://, with special characters of the password as %XX')
    .optional(),
  /** How often to look for changes that nobody has told of. */
  SWEEP_INTERVAL_MS: wholeNumber(10, 3_600_000, 5_000),
  /** Pages that may open a WebSocket, beside the server's own. */
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((origin) => origin.trim())
        .filter((origin) => origin !== ''),
    )
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://chat.example, with commas between them, as browsers send them: in small letters, ' +
        'without a path, a / at the end, a default port or *',
    ),
  /** How much a client that follows something may leave unread. */
  SOCKET_BUFFER_BYTES: wholeNumber(1024, 1024 ** 3, 1024 ** 2),
  /** How long to wait for what runs when the server is told to stop. */
  SHUTDOWN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 10_000),
});

export interface Config {
  databaseUrl: string;
  migrateOnStart: boolean;
  host: string;
  port: number;
  demo: boolean;
  redisUrl: string | undefined;
  sweepIntervalMs: number;
  allowedOrigins: string[];
  socketBufferBytes: number;
  shutdownTimeoutMs: number;
}

/**
 * Reads and checks the settings.
 * @throws Error that lists every mistake, one a line
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable is one that is not set: that is how shells and compose files leave one out.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
    throw new Error(`These settings are wrong:\n${mistakes.join('\n')}`);
  }
  const { data } = parsed;
  return {
    databaseUrl: data.DATABASE_URL,
    migrateOnStart: data.MIGRATE_ON_START === 'true',
    host: data.HOST,
    port: data.PORT,
    demo: data.DEMO === 'on',
    redisUrl: data.REDIS_URL,
    sweepIntervalMs: data.SWEEP_INTERVAL_MS,
    allowedOrigins: data.ALLOWED_ORIGINS,
    socketBufferBytes: data.SOCKET_BUFFER_BYTES,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
  };
}
