/** Operations succeed while the log cannot be written. */
import { expect, it } from 'vitest';
import { startListening } from '../support/server/listening-server.js';
import { startServer } from '../support/server/server-process.js';
import { temporaryFile } from '../support/temporary-folder.js';

const VIEWER = '{ viewer { userId } }';
const ANSWER = { data: { viewer: { userId: 'local' } } };

/** `>(true)` is a pipe whose reader has ended. */
it.each(['/dev/full', '>(true)'])('a process whose stderr is %s answers and stops', async (stderr) => {
  const command = ['bash', '-c', `exec "$0" dist/main.js 2> ${stderr}`, process.execPath];
  const { post, kill, exited } = await startServer(
    { DATABASE_URL: `file:${temporaryFile()}`, LOG_LEVEL: 'debug' },
    { command },
  );
  expect([await post(VIEWER), await post(VIEWER)]).toEqual([ANSWER, ANSWER]);
  kill('SIGTERM');
  expect(await exited).toMatchObject({ code: 0, signal: null });
});

it('log functions that throw change no answer', async () => {
  const fail = () => {
    throw new Error('write EPIPE');
  };
  const log = { log: fail, logError: fail, logOperation: fail, logRequest: fail };
  const { ask } = await startListening(log);
  expect(await ask(VIEWER)).toEqual(ANSWER);
});
