/** `npm run migrate` with an unavailable database, also as a process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { command } from '../../../src/features/migrations/migrate-command.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { persistentDatabase } from '../../support/database/temporary-database.js';
import { runHere } from '../../cli/run-here.js';
import { immutableDatabases, PASSWORD, unreachableDatabases } from '../../support/database/unusable-databases.js';

it.each(Object.entries({ ...unreachableDatabases, ...immutableDatabases }))(
  'npm run migrate reports the fault of a database in one line: %s',
  async (_, make) => {
    const { url, reason } = await make();
    const { shown } = parseDatabaseUrl(url);
    expect(await runHere('migrate', command, [], { environment: { DATABASE_URL: url } })).toEqual({
      code: 1,
      out: [],
      error: [`Cannot use the database ${shown}: ${reason}`],
    });
    expect(shown).not.toContain(PASSWORD);
  },
);

it('npm run migrate reports it on stderr and by its exit code', async () => {
  const { url, reason } = await unreachableDatabases['with a wrong password']!();
  const ended = await new Promise((resolve) => {
    const options = { cwd: fileURLToPath(new URL('../../..', import.meta.url)), env: { DATABASE_URL: url } };
    execFile(process.execPath, ['dist/cli/parley.js', 'migrate'], options, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
  const stderr = `Cannot use the database ${parseDatabaseUrl(url).shown}: ${reason}\n`;
  expect(ended).toEqual({ code: 1, stdout: '', stderr });
});

it('npm run migrate -- --distribute names Citus where the database lacks it, and changes nothing', async () => {
  const { url, remove } = persistentDatabase();
  const { shown } = parseDatabaseUrl(url);
  expect(await runHere('migrate', command, ['--distribute'], { environment: { DATABASE_URL: url } })).toEqual({
    code: 1,
    out: [],
    error: [
      `--distribute needs Citus, an extension of PostgreSQL: ${shown} must be a database of its coordinator, after CREATE EXTENSION citus`,
    ],
  });
  await expect(openDatabase({ url })).rejects.toThrow('it lacks the migrations');
  await remove();
});
