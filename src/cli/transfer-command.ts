/** `npm run transfer -- --from ID --to ID`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkName } from '../conversation/bounds.js';
import { transferChat } from '../conversation/chats.js';
import { NotFoundError } from '../conversation/errors.js';
import { LOCAL_ADMIN } from '../conversation/ownership.js';
import { openDatabase } from '../database/opening/open.js';
import { EXIT, runCommand } from './command.js';
import { existingDatabase } from './existing-database.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run transfer -- --from ID --to ID

Gives all chats of one user to another, in the database of DATABASE_URL: those of development mode, which are of "local",
to whoever wrote them, when there are tokens. Each chat is one change, and its log tells of it. Servers may go on
meanwhile. A run that was interrupted goes on when it is run again.

  --from ID  who has the chats
  --to ID    who gets them
  --help     shows this`;

const CHATS_PER_LOOK = 100;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 the user has no chats any more, 1 it could not be done, 2 wrong usage
 */
export function runTransfer(
  args: readonly string[],
  terminal: Lines,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: async (request) => {
      terminal.out(await transfer(request, readConfig(environment).databaseUrl));
      return EXIT.done;
    },
  });
}

interface Request {
  from: string;
  to: string;
}

function readArguments(args: string[]): Request | 'help' {
  const { values } = parseArgs({
    args,
    options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return 'help';
  if (values.from === undefined || values.to === undefined) {
    throw new Error('It takes --from and --to, each with the id of a user.');
  }
  const request = { from: checkName(values.from, '--from'), to: checkName(values.to, '--to') };
  if (request.from === request.to) throw new Error('--from and --to are the same user.');
  return request;
}

/** @returns what was done */
async function transfer({ from, to }: Request, url: string): Promise<string> {
  const shown = existingDatabase(url);
  const { store, reads } = await openDatabase({ url });
  const page = { first: CHATS_PER_LOOK, last: null, after: null, before: null };
  try {
    let given = 0;
    for (;;) {
      const { rows } = await reads.chatPage({ userId: from, metadata: [] }, page);
      if (rows.length === 0)
        return `${given} ${given === 1 ? 'chat' : 'chats'} of "${from}" in ${shown} went to "${to}".`;
      for (const { id } of rows) {
        try {
          await transferChat(store, LOCAL_ADMIN, { id, userId: to });
          given++;
        } catch (error) {
          // Deleted meanwhile.
          if (!(error instanceof NotFoundError)) throw error;
        }
      }
    }
  } finally {
    await store.close();
  }
}
