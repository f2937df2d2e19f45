/** A PostgreSQL of a test's own, to be stopped and frozen. */
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { startPostgresql, type EmbeddedPostgresql } from './embedded-postgresql.js';

export interface OwnPostgresql extends Pick<EmbeddedPostgresql, 'url' | 'start' | 'stop'> {
  /** Stops every process of it in its tracks: connections stay open, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** Starts it, and ends it with the test. */
export async function startOwnPostgresql(): Promise<OwnPostgresql> {
  const server = await startPostgresql();
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  };
  onTestFinished(async () => {
    thaw();
    await server.remove();
  });
  return {
    url: server.url,
    start: () => server.start(),
    stop: () => server.stop(),
    thaw,
    async freeze() {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      );
      await client.end();
      frozen = [server.pid, ...rows.map((row) => row.pid)];
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
