/** `parley verify`: exits with 0 when every hash is correct, with 1 for findings or when the database cannot be read. */
import { readConfig } from '../../config.js';
import { verifyDigests } from '../../database/checking/verify-digests.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandDefinition } from '../command.js';
import { existingDatabase } from '../existing-database.js';
import { withProgress } from '../progress-bar.js';
import type { Terminal } from '../terminal.js';

const DESCRIPTION =
  'Verifies the hash and the usage of every message in the database of DATABASE_URL. It only reads, and servers may run ' +
  'meanwhile. Each difference is a line with the ids of the message and the problem; the first 20 of each kind are ' +
  'printed and the others counted.';

export const command: CommandDefinition<object> = {
  define: (command) => command.description(DESCRIPTION),
  read: () => ({}),
  run: (_, { terminal, environment }) => verify(readConfig(environment).databaseUrl, terminal),
};

async function verify(databaseUrl: string, terminal: Terminal): Promise<number> {
  existingDatabase(databaseUrl);
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    const { report, missing } = await withProgress(terminal.progress, { unit: 'messages' }, (update) =>
      verifyDigests(connection, update),
    );
    for (const line of report.problems()) terminal.error(line);
    if (missing > 0) terminal.out(`${missing} messages have no hash yet: a running server computes them.`);
    terminal.out(report.summary());
    return report.isSound ? EXIT.done : EXIT.failed;
  } finally {
    await connection.close();
  }
}
