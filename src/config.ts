/** The settings of a server, from the environment: the only reader of process.env. */
import { z } from 'zod';

const settings = z.object({
  /** Where conversations are kept: file: and a path, relative to the working directory. */
  DATABASE_URL: z
    .string()
    .regex(/^file:(?!:memory:)\s*[^?\s][^?]*$/, 'must be file: and a path without ?, such as file:./data/parley.db')
    .default('file:./data/parley.db'),
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
  const { DATABASE_URL, HOST, PORT, DEMO } = parsed.data;
  return { databaseUrl: DATABASE_URL, host: HOST, port: PORT, demo: DEMO === 'on' };
}
