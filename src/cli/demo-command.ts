/** `npm run demo`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { openDatabase } from '../database/opening/open.js';
import { writeDemoInto } from '../demo/offer-demo.js';
import { DEMO_CHAT_ID } from '../demo/write-demo.js';
import { messageOf } from '../message-of.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run demo

Writes the demo conversation, chat "${DEMO_CHAT_ID}" of the user "local", into the database of DATABASE_URL. One that is
there stays as it is.

  --help  shows this`;

const EXIT = { isThere: 0, failed: 1, wrongUsage: 2 } as const;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 the demo is there now, 1 it is not, 2 wrong usage
 */
export async function runDemo(
  args: readonly string[],
  terminal: Lines,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      terminal.out(USAGE);
      return EXIT.isThere;
    }
  } catch {
    // What parseArgs says has the argument in it, and that may be a URL with a password.
    terminal.error(`It takes no arguments: the database is DATABASE_URL's.\n\n${USAGE}`);
    return EXIT.wrongUsage;
  }
  try {
    terminal.out(await write(readConfig(environment).databaseUrl));
    return EXIT.isThere;
  } catch (error) {
    terminal.error(messageOf(error));
    return EXIT.failed;
  }
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
