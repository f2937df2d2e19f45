/** A separate PostgreSQL for one test, which the test can stop and freeze. */
import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { startPostgresql, type EmbeddedPostgresql } from './embedded-postgresql.js';

export interface OwnPostgresql extends Pick<EmbeddedPostgresql, 'url' | 'start' | 'stop'> {
  /** Kills all of its processes. */
  kill(): Promise<void>;
  /** Stops all of its processes: connections stay open without responses. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Starts a hot standby of it. */
  startStandby(): Promise<OwnPostgresql>;
}

/**
 * Starts a server.
 * @param settings see startPostgresql
 * @param whenOver registers its cleanup; by default, at the end of the test
 */
export async function startOwnPostgresql(
  settings?: readonly string[],
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
): Promise<OwnPostgresql> {
  return owned(await startPostgresql(settings), whenOver);
}

function owned(server: EmbeddedPostgresql, whenOver: (end: () => Promise<void>) => void): OwnPostgresql {
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  };
  whenOver(async () => {
    thaw();
    await server.remove();
  });
  return {
    url: server.url,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.stop('SIGKILL'),
    thaw,
    startStandby: async () => owned(await server.startStandby(), whenOver),
    freeze() {
      // Stop the main process first, so that it starts no other process.
      signal(server.pid, 'SIGSTOP');
      frozen = [server.pid, ...childrenOf(server.pid)];
      for (const pid of frozen) signal(pid, 'SIGSTOP');
      return Promise.resolve();
    },
  };
}

function childrenOf(parent: number): number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' });
  const pairs = processes
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number));
  return pairs.flatMap(([ppid, pid]) => (ppid === parent ? [pid!] : []));
}

/** Signals a process, which may have ended: PostgreSQL's workers are short-lived. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
