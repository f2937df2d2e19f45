/** `parley verify`: exits with 0 when every hash of messages and files is correct, with 1 for findings or when the database cannot be read. */
import { readConfig } from '../../config.js';
import { checkFileRows, verifiedSize } from './checking/content-check.js';
import { verifyDigests } from './checking/verify-digests.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { withProgress } from '../../command/progress-bar.js';

const DESCRIPTION =
  'Verifies the hash and the usage of every message in the database of DATABASE_URL, and the hashes of the contents of files ' +
  'in a folder or in the database. It only reads, and servers may run ' +
  'meanwhile. Each difference is a line with the ids of the message or the file and the problem; the first 20 of each kind are ' +
  'printed and the others counted.';

export const command: CommandDefinition<object> = {
  define: (command) => command.description(DESCRIPTION),
  read: () => ({}),
  run: (_, context) => verify(context),
};

async function verify({ terminal, environment, features }: CommandContext): Promise<number> {
  const { databaseUrl, filesUrl } = readConfig(environment);
  const { files } = await features();
  existingDatabase(databaseUrl);
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    const { report, missing } = await withProgress(terminal.progress, { unit: 'messages' }, (update) =>
      verifyDigests(connection, update),
    );
    // A bucket verifies the hash of each upload.
    if (filesUrl?.startsWith('s3:') !== true) {
      const contents = await files.contents({ databaseUrl, filesUrl, connection, isReadOnly: true });
      await checkFileRows(files.records(connection), verifiedSize(contents), report);
    }
    for (const line of report.problems()) terminal.error(line);
    if (missing > 0) terminal.out(`${missing} messages have no hash yet: a running server computes them.`);
    terminal.out(report.summary());
    return report.isSound ? EXIT.done : EXIT.failed;
  } finally {
    await connection.close();
  }
}
