/** `npm run demo`: arguments in, exit code out. */
import { readConfig } from '../config.js';
import { openDatabase } from '../database/opening/open.js';
import { writeDemoInto } from '../demo/offer-demo.js';
import { DEMO_CHAT_ID } from '../demo/write-demo.js';
import { EXIT, readNoArguments, runCommand } from './command.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run demo

Writes the demo conversation, chat "${DEMO_CHAT_ID}" of the user "local", into the database of DATABASE_URL. One that is
there stays as it is.

  --help  shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 the demo is there now, 1 it is not, 2 wrong usage
 */
export function runDemo(args: readonly string[], terminal: Lines, environment?: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readNoArguments,
    run: async () => {
      terminal.out(await write(readConfig(environment).databaseUrl));
      return EXIT.done;
    },
  });
}

/** @returns what was done */
async function write(url: string): Promise<string> {
  const database = await openDatabase({ url });
  try {
    return (await writeDemoInto(database))
      ? `The demo conversation is chat "${DEMO_CHAT_ID}" now.`
      : `There is a chat "${DEMO_CHAT_ID}" already; it stays as it is.`;
  } finally {
    await database.store.close();
  }
}
