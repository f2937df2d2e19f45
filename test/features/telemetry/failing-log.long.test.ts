/** Operations succeed while the log cannot be written. */
import { expect, it } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryFile } from '../../support/temporary-folder.js';

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

const READERS = [
  // Each reader ends after the lines of the start.
  { stream: 'stderr', redirection: '2> >(head -n 1 > /dev/null)' },
  { stream: 'stdout', redirection: '> >(head -n 2)' },
];

it.each(READERS)(
  'a process answers and stops after the reader of $stream has ended',
  async ({ stream, redirection }) => {
    const command = ['bash', '-c', `exec "$0" dist/main.js ${redirection}`, process.execPath];
    const { url, post, kill, exited } = await startServer(
      { DATABASE_URL: `file:${temporaryFile()}`, LOG_LEVEL: 'debug', AUDIT_LOG: stream },
      { command },
    );
    const warnings = async () => {
      const readiness = await fetch(new URL('/health/ready', url));
      return [readiness.status, ((await readiness.json()) as { warnings?: string[] }).warnings];
    };
    const save = (content: string) =>
      post(
        'mutation ($content: JSON!) { saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { data: $content } }] }) { __typename } }',
        { content: { content } },
      );
    expect(await post('mutation { createChat(input: { id: "c" }) { __typename } }')).toMatchObject({ data: {} });
    const hasEnded = async () => {
      expect(await save('Hello')).toEqual({ data: { saveMessages: { __typename: 'SaveMessagesPayload' } } });
      return warnings();
    };
    await expect.poll(hasEnded).toEqual([200, ['The audit log loses lines: EPIPE']]);
    expect(await post('{ chat(id: "c") { id } }')).toEqual({ data: { chat: { id: 'c' } } });
    expect(await post('{ none }')).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
    const upload = (path: string, type: string, body: string) =>
      fetch(new URL(path, url), { method: 'POST', headers: { 'content-type': type }, body }).then(
        ({ status }) => status,
      );
    expect(await upload('/files', 'application/octet-stream', 'A file')).toBe(201);
    expect(await upload('/import', 'application/jsonl', '{"id":"m","role":"user","parts":[]}\n')).toBe(200);
    expect((await fetch(new URL('/export', url))).status).toBe(200);
    expect(await warnings()).toEqual([200, ['The audit log loses lines: EPIPE']]);
    kill('SIGTERM');
    expect(await exited).toMatchObject({ code: 0, signal: null });
  },
);

const FAILURES: Record<string, () => void | Promise<void>> = {
  throw: () => {
    throw new Error('write EPIPE');
  },
  reject: () => Promise.reject(new Error('write EPIPE')),
};

it.each(Object.entries(FAILURES))('log functions that %s change no answer', async (_, fail) => {
  const log = { log: fail, logError: fail, logOperation: fail, logRequest: fail };
  const { ask } = await startListening(log);
  expect([await ask(VIEWER), await ask(VIEWER)]).toEqual([ANSWER, ANSWER]);
});
