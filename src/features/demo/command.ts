/** `parley demo`. */
import { readConfig } from '../../config.js';
import { openDatabase } from '../../database/opening/open.js';
import { DEMO_CHAT_ID, writeDemoInto } from './write-demo.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';

export const command: CommandDefinition = {
  define: (command) =>
    command.description(
      `Writes the demo conversation, chat "${DEMO_CHAT_ID}" of the user "local", into the database of DATABASE_URL. A chat ` +
        'with this id stays as it is.',
    ),
  read: () => ({}),
  run: async (_, { terminal, environment }) => {
    terminal.out(await write(readConfig(environment).databaseUrl));
    return EXIT.done;
  },
};

async function write(url: string): Promise<string> {
  const database = await openDatabase({ url });
  try {
    return (await writeDemoInto(database.store))
      ? `The demo conversation is chat "${DEMO_CHAT_ID}" now.`
      : `There is a chat "${DEMO_CHAT_ID}" already; it stays as it is.`;
  } finally {
    await database.store.close();
  }
}
