/** The settings of a server, from the environment: the only reader of process.env. */
import { z } from 'zod';
import { parseDatabaseUrl } from './database/database-url.js';

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
  PORT: z
    .string()
    .regex(/^[0-9]{1,5}$/, 'must be a number from 0 to 65535')
    .default('4000')
    .transform(Number)
    .refine((port) => port <= 65535, 'must be a number from 0 to 65535'),
  /** Whether a new database begins with a small conversation to look at. */
  DEMO: z.enum(['on', 'off'], 'must be on or off').default('on'),
});

export interface Config {
  databaseUrl: string;
  migrateOnStart: boolean;
  host: string;
  port: number;
  demo: boolean;
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
  const { DATABASE_URL, MIGRATE_ON_START, HOST, PORT, DEMO } = parsed.data;
  return {
    databaseUrl: DATABASE_URL,
    migrateOnStart: MIGRATE_ON_START === 'true',
    host: HOST,
    port: PORT,
    demo: DEMO === 'on',
  };
}
