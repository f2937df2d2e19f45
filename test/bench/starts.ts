/** The time until a server on an existing database is ready. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '../../src/database/opening/open.js';
import { mediansOfTurns, timeOf } from './measuring/measure.js';
import { readyUrl } from './measuring/processes.js';
import { ratioOf, type Ratio } from './measuring/report.js';

/** @param url of a missing SQLite file, which is created */
export async function* measureStarts(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  await store.close();
  const start = (command: string, args: string[]) => async () => {
    const server = spawn(command, args, {
      env: { ...process.env, DATABASE_URL: url, PORT: '0', DEMO: 'off' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A separate process group that is ended as one, because npm starts a shell.
      detached: true,
    });
    try {
      return await timeOf(() => readyUrl(server));
    } finally {
      await endGroup(server);
    }
  };
  const times = await mediansOfTurns(
    { node: start(process.execPath, ['dist/main.js']), npm: start('npm', ['start']) },
    5,
  );
  yield ratioOf('npm start when nothing has changed, against node dist/main.js', times.npm, times.node, 1.5);
}

async function endGroup(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  // The pipe closes when all of them have ended.
  const ended = once(server, 'close');
  process.kill(-server.pid!, 'SIGTERM');
  await ended;
}
