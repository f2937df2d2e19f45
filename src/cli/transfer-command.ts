/** `npm run transfer -- --from ID --to ID`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkName } from '../conversation/bounds.js';
import { transferChat } from '../conversation/chats.js';
import { NotFoundError } from '../conversation/errors.js';
import { LOCAL_ADMIN } from '../conversation/ownership.js';
import { openDatabase } from '../database/opening/open.js';
import { messageOf } from '../message-of.js';
import { existingDatabase } from './existing-database.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run transfer -- --from ID --to ID

Gives all chats of one user to another, in the database of DATABASE_URL: those of development mode, which are of "local",
to whoever wrote them, when there are tokens. Each chat is one change, and its log tells of it. Servers may go on
meanwhile. A run that was interrupted goes on when it is run again.

  --from ID  who has the chats
  --to ID    who gets them
  --help     shows this`;

const EXIT = { given: 0, failed: 1, wrongUsage: 2 } as const;
const CHATS_PER_LOOK = 100;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 the user has no chats any more, 1 it could not be done, 2 wrong usage
 */
export async function runTransfer(
  args: readonly string[],
  terminal: Lines,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  const request = readArguments(args);
  if (request === 'help') {
    terminal.out(USAGE);
    return EXIT.given;
  }
  if ('mistake' in request) {
    terminal.error(`${request.mistake}\n\n${USAGE}`);
    return EXIT.wrongUsage;
  }
  try {
    terminal.out(await transfer(request, readConfig(environment).databaseUrl));
    return EXIT.given;
  } catch (error) {
    terminal.error(messageOf(error));
    return EXIT.failed;
  }
}

interface Request {
  from: string;
  to: string;
}

function readArguments(args: readonly string[]): Request | { mistake: string } | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return 'help';
    if (values.from === undefined || values.to === undefined) {
      return { mistake: 'It takes --from and --to, each with the id of a user.' };
    }
    const request = { from: checkName(values.from, '--from'), to: checkName(values.to, '--to') };
    return request.from === request.to ? { mistake: '--from and --to are the same user.' } : request;
  } catch (error) {
    return { mistake: messageOf(error) };
  }
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
