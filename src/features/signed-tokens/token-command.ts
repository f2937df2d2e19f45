/** `parley token`: exits with 1 when the server's settings have no secret to sign with. */
import { signToken } from './sign-token.js';
import { userIdFault } from '../../auth/user-id.js';
import { readConfig } from '../../config.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';

const DESCRIPTION =
  'Prints a token that a server with the same AUTH_JWT_SECRET accepts, for trials. Send it as "Authorization: Bearer ' +
  'TOKEN", or over WebSocket as {"authorization": "Bearer TOKEN"} in connection_init.';

const DEFAULT_HOURS = '12';
const MAX_HOURS = 8760;

interface TokenRequest {
  userId: string;
  isAdmin: boolean;
  hours: number;
}

export const command: CommandDefinition<TokenRequest> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .requiredOption('--user <ID>', 'the user of the token')
      .option('--admin', 'the token of an admin')
      .option('--hours <N>', `hours until the token expires, at most ${MAX_HOURS}`, DEFAULT_HOURS),
  read: readRequest,
  run: async (request, { terminal, environment }) => {
    terminal.out(await print(request, environment));
    return EXIT.done;
  },
};

function readRequest(options: { user: string; admin?: boolean; hours: string }): TokenRequest {
  const hours = /^[0-9]{1,4}$/.test(options.hours) ? Number(options.hours) : 0;
  if (hours < 1 || hours > MAX_HOURS) throw new Error(`--hours must be a whole number from 1 to ${MAX_HOURS}`);
  const fault = userIdFault(options.user);
  if (fault !== null) throw new Error(`--user ${fault}`);
  return { userId: options.user, isAdmin: options.admin ?? false, hours };
}

async function print({ hours, ...whose }: TokenRequest, environment?: NodeJS.ProcessEnv): Promise<string> {
  const { auth } = readConfig(environment);
  if (auth === undefined) {
    throw new Error('AUTH_JWT_SECRET is not set: a server without it is in development mode and requires no token');
  }
  if (!('secret' in auth)) {
    throw new Error('The issuer of AUTH_JWKS_URL makes the tokens: this command needs AUTH_JWT_SECRET');
  }
  return signToken(auth, { ...whose, lifetime: hours * 3600 });
}
