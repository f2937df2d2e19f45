/** The commands of an operator, each with the role that docs/databases.md gives it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/cli/program.js';
import { startPostgresql } from '../support/database/embedded-postgresql.js';
import { startListening } from '../support/server/listening-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runHere } from './run-here.js';

const DATABASES = readFileSync('docs/databases.md', 'utf8');
const [, SECTION = ''] = /^## Rights\n(.*?)^## /ms.exec(DATABASES) ?? [];
const [, CREATE_ROLES = ''] = /^```sql\n(.*?)^```/ms.exec(SECTION) ?? [];
const [, OWNER_URL = '', MIGRATE = ''] = /^DATABASE_URL=(\S+) npm run migrate -- (.*)$/m.exec(SECTION) ?? [];
/** The commands of a row of the table. */
const commandsOf = (role: string) =>
  [...(new RegExp(`^ *\\| ${role} +\\|(.*)\\|$`, 'm').exec(SECTION)?.[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(
    ([, name = '']) => name,
  );
const ROLES = { owner: commandsOf('`parley_owner`'), server: commandsOf('`parley`'), none: commandsOf('none') };

/** The folder of a PostgreSQL with the pg_dump on PATH; undefined without one: then the one of npm lacks pg_dump. */
function installedPostgresql(): string | undefined {
  try {
    const [, major = ''] = / (\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' })) ?? [];
    const folder = `/usr/lib/postgresql/${major}/bin`;
    return existsSync(join(folder, 'postgres')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

it('names the role of each command', () => {
  expect([...Object.values(ROLES).flat()].sort()).toEqual(Object.keys(COMMANDS).sort());
});

/** The commands of docs/upgrading.md with their arguments, and its SQL. */
const UPGRADING = readFileSync('docs/upgrading.md', 'utf8');
const UPGRADE = [...UPGRADING.matchAll(/^ +DATABASE_URL=… npm run (\S+)(?: -- (.*))?$/gm)].map(
  ([, name = '', args]) => [name, args?.split(' ') ?? []] as const,
);
const [, VACUUM = ''] = /^```sql\n(.*?)^```/ms.exec(UPGRADING) ?? [];

/** A PostgreSQL with the documented roles, and commands on its databases. */
async function startWithRoles(installed: string | undefined) {
  const postgresql = await startPostgresql(undefined, installed);
  onTestFinished(() => postgresql.remove());
  const superuser = new pg.Client(postgresql.url);
  await superuser.connect();
  onTestFinished(() => superuser.end());
  for (const statement of CREATE_ROLES.split(/;\n/)) await superuser.query(statement);
  const createDatabase = (name: string) => superuser.query(`CREATE DATABASE ${name} OWNER parley_owner`);
  for (const name of ['restored', 'before_upgrade', 'copied']) await createDatabase(name);
  const folder = temporaryFolder();
  const files = (name: string) => `file:${join(folder, name)}`;
  const urlOf = (role: keyof typeof ROLES, database = 'parley') => {
    const url = OWNER_URL.replace('db.example.org', new URL(postgresql.url).host).replace(/parley$/, database);
    return role === 'owner' ? url : url.replace('parley_owner', 'parley');
  };
  const run = async (name: string, args: readonly string[], environment: Record<string, string>) => {
    const { command } = await COMMANDS[name]!.load();
    return runHere(name, command, args, { environment: { FILES_URL: files('files'), ...environment } });
  };
  const done = new Set(ROLES.none);
  /** Runs a command with its documented role, unless the environment has another one. @returns its output */
  const runs = async (name: string, args: readonly string[] = [], environment: Record<string, string> = {}) => {
    const role = ROLES.owner.includes(name) ? 'owner' : 'server';
    const { out, ...result } = await run(name, args, { DATABASE_URL: urlOf(role), ...environment });
    expect([name, result]).toEqual([name, { code: 0, error: [] }]);
    done.add(name);
    return out.join('\n');
  };
  const connectAs = async (role: keyof typeof ROLES) => {
    const client = new pg.Client(urlOf(role));
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  return { folder, files, urlOf, superuserUrl: postgresql.url, run, runs, done, connectAs };
}

/** Runs the commands of "Other backups of PostgreSQL". */
function otherBackup(folder: string, ...urls: readonly string[]): void {
  const [, section = ''] = /^### Other backups of PostgreSQL\n(.*?)^### /ms.exec(DATABASES) ?? [];
  const commands = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines).join('');
  expect(commands.match(/^\w+/gm)).toEqual(['pg_dump', 'createdb', 'pg_restore']);
  const [{ hostname, port }] = urls.map((url) => new URL(url)) as [URL];
  const passwords = urls
    .map((url) => new URL(url))
    .map((url) => `*:*:*:${url.username}:${decodeURIComponent(url.password)}`);
  const PGPASSFILE = join(folder, 'passwords');
  writeFileSync(PGPASSFILE, passwords.join('\n'), { mode: 0o600 });
  const env = { ...process.env, PGPASSFILE, PGPORT: port };
  execFileSync('sh', ['-e', '-c', commands.replaceAll('db.example.org', hostname)], {
    cwd: folder,
    env,
    stdio: 'pipe',
  });
}

it('each command works with its documented role', async ({ skip }) => {
  const installed = installedPostgresql();
  const { folder, files, urlOf, superuserUrl, run, runs, done, connectAs } = await startWithRoles(installed);
  await runs('migrate', MIGRATE.split(' '));
  const server = await startListening({ databaseUrl: urlOf('server'), filesUrl: files('files'), migrateOnStart: true });
  done.add('start');
  const create = `mutation { createChat(input: { id: "old", metadata: { a: 1 } }) { __typename } }`;
  expect(await server.ask(create)).toEqual({ data: { createChat: { __typename: 'CreateChatPayload' } } });
  const owner = await connectAs('owner');
  await owner.query('UPDATE chats SET "updatedAt" = "createdAt" - 172800000');
  expect(await runs('retention', [], { RETENTION_DAYS: '1', RECOVERY_DAYS: '0' })).toMatch(/^old,local,/m);
  await runs('demo');
  const exported = join(folder, 'chats.zip');
  await runs('export', [exported]);
  await owner.query('TRUNCATE chats CASCADE');
  expect(await runs('import', ['--user', 'ann', exported])).toMatch(/1 conversation/);
  expect(await runs('transfer', ['--from', 'ann', '--to', 'bob'])).toMatch(/^1 chat of "ann" /);
  await runs('usage');
  await runs('check');
  await runs('verify');
  const copied = ['--to', urlOf('owner', 'copied'), '--files-to', files('copied')];
  await runs('copy', ['--from', urlOf('server'), '--files-from', files('files'), ...copied]);
  if (installed === undefined)
    skip('Not tested: backup and restore, without a PostgreSQL that has the pg_dump on PATH');

  const backup = join(folder, 'backup');
  await runs('backup', [backup]);
  await runs('restore', [backup], { DATABASE_URL: urlOf('owner', 'restored'), FILES_URL: files('restored') });
  await runs('check', [], { DATABASE_URL: urlOf('server', 'restored'), FILES_URL: files('restored') });

  expect(UPGRADE.map(([name]) => name)).toEqual(['backup', 'migrate', 'check', 'restore']);
  for (const [name, args] of UPGRADE) {
    const database = name === 'restore' ? 'before_upgrade' : 'parley';
    const paths = args.map((path) => path.replace('backups/', join(folder, 'backups/')));
    const FILES_URL = files(name === 'restore' ? 'before-upgrade' : 'files');
    await runs(name, paths, { DATABASE_URL: urlOf('owner', database), FILES_URL });
  }
  await owner.query(VACUUM);

  otherBackup(folder, urlOf('owner'), superuserUrl);

  // As granted by a version without this right.
  await owner.query('REVOKE SELECT ON SEQUENCE message_texts_id_seq FROM parley');
  const denied = await run('backup', [join(folder, 'denied')], { DATABASE_URL: urlOf('server') });
  expect(denied).toMatchObject({
    code: 1,
    error: [expect.stringMatching(/permission denied .+; use the URL of the owner/s)],
  });

  await server.stop();
  expect(await runs('erase-user', ['--user', 'bob'])).toMatch(/^The user "bob" was erased /);
  expect([...done].sort()).toEqual(Object.values(ROLES).flat().sort());
});
