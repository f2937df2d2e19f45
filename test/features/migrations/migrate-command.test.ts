/** `npm run migrate`, in this process. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { command } from '../../../src/features/migrations/migrate-command.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { connect } from '../../../src/database/opening/open.js';
import { bundled, migrate } from '../../support/database/migrations.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { runHere } from '../../cli/run-here.js';

const run = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
  runHere('migrate', command, args, { environment });

const names = bundled.map(({ name }) => name);

describe('npm run migrate', () => {
  it('creates a database, lists the applied migrations, and does nothing the second time', async () => {
    const url = temporaryDatabaseUrl();
    const { shown } = parseDatabaseUrl(url);
    const applied = `${shown} is up to date now. Applied: ${names.join(', ')}.`;
    expect(await run([], { DATABASE_URL: url })).toEqual({ code: 0, out: [applied], error: [] });
    expect(await run([], { DATABASE_URL: url })).toEqual({ code: 0, out: [`${shown} is up to date.`], error: [] });
    await (await connect(url, { migrate: false })).connection.close();
  });

  it('migrates an older database, and prints its progress', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, bundled.slice(0, 1));
    const missing = names.slice(1);
    const applied = `${parseDatabaseUrl(url).shown} is up to date now. Applied: ${missing.join(', ')}.`;
    const { error, ...result } = await run([], { DATABASE_URL: url });
    expect(result).toEqual({ code: 0, out: [applied] });
    const of = (name: string, n: number) => `Migration ${name}, ${n + 1} of ${missing.length}`;
    const lines = missing.flatMap((name, n) => [`${of(name, n)}, started`, `${of(name, n)}, took N seconds`]);
    expect(error.map((line) => line.replace(/[0-9.]+ seconds$/, 'N seconds'))).toEqual(lines);
  });

  it('keeps a database of a newer Parley unchanged', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [...bundled, { name: '9999_of_the_future', sql: 'SELECT 1' }]);
    const reason = 'the database has the migration "9999_of_the_future", which this version of Parley does not know';
    const error = [`Cannot use the database ${parseDatabaseUrl(url).shown}: ${reason}`];
    expect(await run([], { DATABASE_URL: url })).toEqual({ code: 1, out: [], error });
  });

  it('does nothing in memory', async () => {
    const { code, out } = await run([], { DATABASE_URL: ':memory:' });
    expect([code, out]).toEqual([0, [expect.stringMatching(/^:memory: is created by every process/)]]);
  });

  it('grants no rights in a database without roles, and keeps it unchanged', async () => {
    const path = temporaryFile();
    const { code, out, error } = await run(['--grant-to', 'parley'], { DATABASE_URL: `file:${path}` });
    expect([code, out, error]).toEqual([
      1,
      [],
      [`--grant-to is for PostgreSQL and SQL Server: file:${path} has no roles; grant access to its file instead`],
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it.each([[['--force']], [['postgresql://user:do-not-tell@host/parley']], [['--to=x:do-not-tell']]])(
    'prints its usage for %j without repeating it',
    async (args) => {
      const { code, out, error } = await run(args, {});
      expect([code, out, error]).toEqual([
        2,
        [],
        [expect.stringMatching(/^error: (unknown option '--\w+'|too many arguments)[^]*Usage: parley migrate /)],
      ]);
      expect(error.join()).not.toContain('do-not-tell');
    },
  );

  it.each(['mysql://user:do-not-tell@host/parley', 'postgresql://user:do-not-tell/@host:x/parley', 'do-not-tell'])(
    'refuses the URL %s in one line, without its secrets',
    async (url) => {
      const { code, out, error } = await run([], { DATABASE_URL: url });
      expect([code, out, error]).toEqual([
        1,
        [],
        [expect.stringMatching(/^These settings are wrong: DATABASE_URL .+$/)],
      ]);
      expect(error.join()).not.toContain('do-not-tell');
    },
  );
});
