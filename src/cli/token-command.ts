/** `npm run token -- --user ID [--admin] [--hours N]`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { signToken } from '../auth/sign-token.js';
import { userIdFault } from '../auth/user-id.js';
import { readConfig } from '../config.js';
import { EXIT, runCommand } from './command.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run token -- --user ID [--admin] [--hours N]

Prints a token that a server with the same AUTH_JWT_SECRET accepts, for trials. Send it as "Authorization: Bearer TOKEN",
or over WebSocket as {"authorization": "Bearer TOKEN"} in connection_init.

  --user ID  whose token it is
  --admin    an admin's
  --hours N  how long it is good for (12 by default, 8760 at most)
  --help     shows this`;

const DEFAULT_HOURS = '12';
const MAX_HOURS = 8760;

interface Request {
  userId: string;
  isAdmin: boolean;
  hours: number;
}

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 the token is printed, 1 there is no secret to sign it with, 2 wrong usage
 */
export function runToken(args: readonly string[], terminal: Lines, environment?: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: async (request) => {
      terminal.out(await print(request, environment));
      return EXIT.done;
    },
  });
}

/** @throws Error that says what is wrong with them */
function readArguments(args: string[]): Request | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: 'string' },
      admin: { type: 'boolean', default: false },
      hours: { type: 'string', default: DEFAULT_HOURS },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  if (values.user === undefined) throw new Error('--user is missing: whose token is it to be?');
  const hours = /^[0-9]{1,4}$/.test(values.hours) ? Number(values.hours) : 0;
  if (hours < 1 || hours > MAX_HOURS) throw new Error(`--hours must be a whole number from 1 to ${MAX_HOURS}`);
  const fault = userIdFault(values.user);
  if (fault !== null) throw new Error(`--user ${fault}`);
  return { userId: values.user, isAdmin: values.admin, hours };
}

async function print({ hours, ...whose }: Request, environment?: NodeJS.ProcessEnv): Promise<string> {
  const { auth } = readConfig(environment);
  if (auth === undefined) {
    throw new Error(
      'AUTH_JWT_SECRET is not set: a server without it is in development mode, and asks nobody for a token',
    );
  }
  if (!('secret' in auth)) {
    throw new Error(
      'Tokens come from whoever publishes the keys at AUTH_JWKS_URL: one can be made with AUTH_JWT_SECRET only',
    );
  }
  return signToken(auth, { ...whose, lifetime: hours * 3600 });
}
