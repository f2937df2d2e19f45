/** `GET /export`, `POST /import` and `DELETE /users`, over sockets. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { createLockedFolder } from '../../../src/interchange/locked-folders.js';
import { openStream } from '../../support/server/event-stream.js';
import { importProcesses } from '../../support/server/import-processes.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { startListening } from '../../support/server/listening-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { atDatabase, contentOf } from '../../cli/database-content.js';

async function serverWith(chats: Record<string, string>, options: Parameters<typeof startListening>[0] = {}) {
  const server = await startListening({ auth: AUTH, ...options });
  await atDatabase(server.databaseUrl, async ({ store }) => {
    for (const [id, userId] of Object.entries(chats)) {
      const viewer = { userId, isAdmin: false };
      await createChat(store, viewer, { id, title: `Of ${userId}` });
      const content = { text: `Hello from ${id}` };
      await saveMessages(store, viewer, {
        chatId: id,
        messages: [{ id: `${id}-1`, name: 'user', type: 'message', content }],
      });
    }
  });
  const at = (path: string) => server.url.replace('/graphql', path);
  const out = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(at(`/export${query}`), { headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const bring = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, query = '') => {
    const response = await fetch(at(`/import${query}`), {
      method: 'POST',
      headers: { 'content-type': 'application/jsonl', ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const erase = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(at(`/users${query}`), { method: 'DELETE', headers });
    return { status: response.status, text: await response.text() };
  };
  return { ...server, at, out, bring, erase };
}

const idsIn = (text: string) => [...text.matchAll(/"chat":\{"id":"(\w+)"/g)].map(([, id]) => id).sort();

describe('GET /export', () => {
  it('returns the chats of the user, and to admins those requested', async () => {
    const { out } = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const [ann, admin] = [await bearer('ann'), await bearer('root', true)];
    const own = await out('', ann);
    expect([own.status, idsIn(own.text)]).toEqual([200, ['a', 'c']]);
    expect(own.headers.get('content-disposition')).toBe('attachment; filename="parley.jsonl"');
    expect(own.headers.get('parley-not-held')).toBe(
      'drafts that are being written; contents of files, which a zip has',
    );
    expect(idsIn((await out('?chatId=c', ann)).text)).toEqual(['c']);
    expect(idsIn((await out('', admin)).text)).toEqual([]);
    expect(idsIn((await out('?userId=bob', admin)).text)).toEqual(['b']);
    expect(idsIn((await out('?chatId=b', admin)).text)).toEqual(['b']);
    expect(idsIn((await out('?everybody=true', admin)).text)).toEqual(['a', 'b', 'c']);
    expect(idsIn((await out('?since=2999-01-01', ann)).text)).toEqual([]);
  });

  it('names the file of a single chat by its title', async () => {
    const server = await serverWith({});
    await atDatabase(server.databaseUrl, async ({ store }) => {
      await createChat(store, { userId: 'ann', isAdmin: false }, { id: 'trip', title: 'Über "Porto"\r\n' });
    });
    const ann = await bearer('ann');
    const nameOf = async (query: string) => (await server.out(query, ann)).headers.get('content-disposition');
    const encoded = "filename*=UTF-8''%C3%9Cber-Porto.trip";
    expect(await nameOf('?chatId=trip')).toBe(
      `attachment; filename="-ber-Porto.trip.parley.jsonl"; ${encoded}.parley.jsonl`,
    );
    expect(await nameOf('?chatId=trip&format=html&paths=leaves')).toContain(`${encoded}.leaves.html`);
    expect(await nameOf('?chatId=trip&format=html&zip=true')).toContain(`${encoded}.zip`);
    expect(await nameOf('?format=markdown')).toBe('attachment; filename="chats.md"');
  });

  it('returns a zip with a file for each chat', async () => {
    const server = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const ann = await bearer('ann');
    const zipped = async (format: string) => {
      const answer = await fetch(new URL(`/export?zip=true&format=${format}`, server.url), { headers: ann });
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="chats.zip"');
      expect(answer.headers.get('content-type')).toBe('application/zip');
      const path = temporaryFile();
      writeFileSync(path, Buffer.from(await answer.arrayBuffer()));
      return path;
    };
    const names = execFileSync('unzip', ['-Z1', await zipped('markdown')], { encoding: 'utf8' });
    expect(names.trim().split('\n').sort()).toEqual(['Of-ann.a.md', 'Of-ann.c.md']);
    const target = await serverWith({});
    const body = readFileSync(await zipped('librechat'));
    const headers = { ...ann, 'content-type': 'application/zip' };
    const imported = await fetch(new URL('/import', target.url), { method: 'POST', headers, body });
    expect(await imported.text()).toContain('"imported":2');
  });

  it.each([
    ['', undefined, 401, 'UNAUTHENTICATED'],
    ['?userId=bob', 'ann', 403, 'FORBIDDEN'],
    ['?everybody=true', 'ann', 403, 'FORBIDDEN'],
    ['?chatId=b', 'ann', 404, 'NOT_FOUND'],
    ['?chatId=nothing', 'ann', 404, 'NOT_FOUND'],
    ['?format=docx', 'ann', 400, 'BAD_REQUEST'],
    ['?since=soon', 'ann', 400, 'BAD_REQUEST'],
    ['?zip=1', 'ann', 400, 'BAD_REQUEST'],
    ['?user=ann', 'ann', 400, 'BAD_REQUEST'],
    ['?since=2020&since=2021', 'ann', 400, 'BAD_REQUEST'],
  ])('%s of %s is refused with %i', async (query, user, status, code) => {
    const { out } = await serverWith({ b: 'bob' });
    const answer = await out(query, user === undefined ? {} : await bearer(user));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it('waits for a client that reads slowly, and stops when it goes', async () => {
    const server = await serverWith({});
    await atDatabase(server.databaseUrl, ({ store }) => writeChain(store, 'long', 5000));
    const headers = await bearer('u');
    const go = () =>
      new Promise<void>((resolve, reject) => {
        const request = httpRequest(server.at('/export'), { headers }, (response) => {
          response.once('data', () => {
            response.once('close', resolve);
            response.destroy();
          });
          response.on('error', () => {});
        });
        request.on('error', reject).end();
      });
    // As many as a user may have at a time, and more: each has given back what it had.
    for (let n = 0; n < 5; n++) await go();
    await expect.poll(async () => (await server.out('?chatId=long', headers)).status).toBe(200);
    const whole = await server.out('', headers);
    expect(whole.text.match(/^\{"message":/gm)).toHaveLength(5000);
    expect(whole.text).toMatch(/\{"end":\{"chat":"long","messages":5000,"events":\d+\}\}\n$/);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});

/** The folders that imports of this test have, beside databases. */
function importFolders(): () => string[] {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder).flatMap((name) => (name.startsWith('parley-import-') ? [join(folder, name)] : []));
}

/** A request whose body ends, or does not; it is cut off with the test. */
async function upload({ at }: { at: (path: string) => string }, user: string, body: string, isWhole: boolean) {
  const headers = { ...(await bearer(user)), 'content-type': 'application/jsonl', 'transfer-encoding': 'chunked' };
  const request = httpRequest(at('/import'), { method: 'POST', headers }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  request.write(body);
  if (isWhole) request.end();
  return request;
}

/** More lines of answers than fit into the buffers of a connection. */
const UNREAD = '{"nothing":1}\n'.repeat(200_000);

/** Sends a body in pieces, one every 25 ms, and returns the answer as text. */
function drip(
  url: string,
  headers: Record<string, string>,
  length: number,
  pieces: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const lines = Object.entries({
      host: 'a',
      'content-type': 'application/json',
      'content-length': length,
      ...headers,
    });
    socket.write(`POST /import HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    const rest = [...pieces];
    const timer = setInterval(() => {
      const piece = rest.shift();
      if (piece !== undefined) socket.write(piece);
    }, 25);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes('"totals"')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

describe('POST /import', () => {
  it('accepts an export from any user, and reports line by line', async () => {
    const from = await serverWith({ a: 'ann', c: 'ann' });
    const to = await serverWith({});
    const { text } = await from.out('', await bearer('ann'));
    const answer = await to.bring(text, await bearer('eve'));
    expect(answer.status).toBe(200);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { conversation: { format: 'parley', result: 'imported', messageIds: [expect.any(String)] } },
      { conversation: { format: 'parley', result: 'imported' } },
      { totals: { conversations: { imported: 2, failed: 0 } }, couldNotRead: [] },
    ]);
    expect((await contentOf(to.databaseUrl)).chats.map(({ id, userId }) => [id, userId])).toEqual([
      ['a', 'eve'],
      ['c', 'eve'],
    ]);
    // A user cannot name another one as the actor.
    expect(new Set((await contentOf(to.databaseUrl)).events.map(({ actorId }) => actorId))).toEqual(new Set(['eve']));
    const admin = await bearer('root', true);
    expect((await to.bring(text, admin, '?userId=ann')).text).toContain('"imported":2');
    expect((await to.bring(text, await bearer('eve'))).text).toContain('"unchanged":2');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', ''])(
    'takes nothing that a page of another origin can send unasked: %s',
    async (type) => {
      const { bring, databaseUrl } = await serverWith({});
      const answer = await bring('{"parley":1}', { ...(await bearer('ann')), 'content-type': type });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        415,
        { errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] },
      ]);
      expect((await contentOf(databaseUrl)).chats).toEqual([]);
    },
  );

  it.each([
    ['', undefined, 'x', 401],
    ['?userId=bob', 'ann', 'x', 403],
    ['?format=docx', 'ann', 'x', 400],
    ['', 'ann', '', 400],
    ['', 'ann', 'PK\u0003\u0004 no zip', 400],
  ])('%s of %s with %j is refused', async (query, user, body, status) => {
    const { bring, unexpectedErrors } = await serverWith({});
    const answer = await bring(body, user === undefined ? {} : await bearer(user), query);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('/tmp');
    expect(unexpectedErrors.size).toBe(0);
  });

  it('writes nothing of a body that breaks off', async () => {
    const from = await serverWith({ a: 'ann' });
    const { text } = await from.out('', await bearer('ann'));
    const to = await serverWith({});
    const headers = { ...(await bearer('ann')), 'content-type': 'application/jsonl', 'content-length': '99999' };
    await new Promise<void>((resolve) => {
      const request = httpRequest(to.at('/import'), { method: 'POST', headers }).on('error', () => resolve());
      request.write(text, () => request.destroy(new Error('gone')));
    });
    expect((await to.bring(text, await bearer('bob'))).text).toContain('"imported":1');
    expect((await contentOf(to.databaseUrl)).chats.map(({ userId }) => userId)).toEqual(['bob']);
    expect(to.unexpectedErrors.size).toBe(0);
  });

  it('gives back what an upload had that never came to its end', async () => {
    const server = await serverWith({}, { limits: { uploadTimeoutMs: 300 } });
    const headers = await bearer('ann');
    const { authorization } = headers;
    const head = `POST /import HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/jsonl\r\n`;
    const stall = (rest: string) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
          socket.write(head + rest);
        });
        const drip = setInterval(() => socket.write('{'), 20);
        socket.resume().on('error', reject);
        socket.on('close', () => {
          clearInterval(drip);
          resolve();
        });
      });
    // As many as a user may have, and more.
    for (let n = 0; n < 3; n++) await stall('content-length: 99999\r\n\r\n');
    for (let n = 0; n < 3; n++) await stall('transfer-encoding: chunked\r\n\r\nno number');
    const both = () => Promise.all([1, 2].map(() => server.bring('{"nothing":1}', headers)));
    await expect.poll(async () => (await both()).map(({ status }) => status)).toEqual([200, 200]);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('receives a slow upload for longer than other requests may take', async () => {
    const server = await serverWith({}, { limits: { requestTimeoutMs: 200 } });
    const body = '{"messages":[{"role":"user","content":"Slow"},{"role":"assistant","content":"Yes"}]}';
    const answer = await drip(server.url, await bearer('ann'), body.length, [...body]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*"imported":1/);
  });

  it.each([
    ['pauses', { uploadIdleTimeoutMs: 300 }, 'pause for at most 300 ms', ['{', '"']],
    ['takes too long', { uploadTimeoutMs: 300 }, 'arrive within 300 ms', [...'{"messages":['.repeat(10)]],
  ])('ends an upload that %s, with an error that browsers do not repeat', async (_, limits, rule, pieces) => {
    const server = await serverWith({}, { limits });
    const answer = await drip(server.url, await bearer('ann'), 9_999, pieces);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const [, body = ''] = answer.split('\r\n\r\n');
    expect(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).toEqual({
      errors: [
        { message: `The body must ${rule}: retry on a faster connection`, extensions: { code: 'REQUEST_TIMEOUT' } },
      ],
    });
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('deletes its files before its answer ends, so that a stopping server need not wait', async () => {
    const { bring } = await serverWith({});
    const folders = importFolders();
    const headers = await bearer('ann');
    for (let n = 0; n < 3; n++) {
      expect((await bring('{"nothing":1}', headers)).status).toBe(200);
      expect(folders()).toEqual([]);
    }
  });

  it('leaves exports and erasures their slots, however many uploads do not end', async () => {
    const folders = importFolders();
    const server = await serverWith({ a: 'ann' });
    for (const user of ['ann', 'bob', 'cid', 'dan'].flatMap((user) => [user, user]))
      await upload(server, user, '{', false);
    await expect.poll(folders).toHaveLength(8);
    await expect(server.bring('{"nothing":1}', await bearer('ann'))).resolves.toMatchObject({
      status: 429,
      text: expect.stringContaining('2 unfinished uploads') as string,
    });
    expect((await server.out('', await bearer('ann'))).status).toBe(200);
    expect((await server.erase('?userId=ann', await bearer('root', true))).status).toBe(200);
    expect((await server.bring('{"nothing":1}', await bearer('eve'))).status).toBe(200);
  });

  it('refuses files beyond the disk limit, with the limit', async () => {
    const folders = importFolders();
    const { bring, unexpectedErrors } = await serverWith({}, { limits: { importSpoolBytes: 100_000 } });
    const answer = await bring(' '.repeat(200_000), await bearer('ann'));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      503,
      { errors: [{ message: expect.stringContaining('50000 bytes') as string, extensions: { code: 'OVERLOADED' } }] },
    ]);
    expect([folders(), unexpectedErrors.size]).toEqual([[], 0]);
  });

  it('ends an import that needs more memory than it may have, and no other', async () => {
    const folders = importFolders();
    const server = await serverWith({ b: 'bob' }, { limits: { importMemoryBytes: 32 * 1024 ** 2 } });
    const importing = server.bring('{"nothing":1}', await bearer('ann'));
    expect(idsIn((await server.out('', await bearer('bob'))).text)).toEqual(['b']);
    const { status, text } = await importing;
    expect([status, JSON.parse(text)]).toMatchObject([
      413,
      {
        errors: [
          { message: expect.stringContaining('IMPORT_MEMORY_BYTES') as string, extensions: { code: 'TOO_LARGE' } },
        ],
      },
    ]);
    expect([folders(), server.unexpectedErrors.size, importProcesses(process.pid)]).toEqual([[], 0, []]);
  });

  it('ends an import that takes too long', async () => {
    const folders = importFolders();
    const server = await serverWith({}, { limits: { importTimeoutMs: 1 } });
    const answer = await server.bring('{"nothing":1}', await bearer('ann'));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      503,
      { errors: [{ message: expect.stringContaining('1 ms') as string, extensions: { code: 'TIMEOUT' } }] },
    ]);
    expect([folders(), server.unexpectedErrors.size, importProcesses(process.pid)]).toEqual([[], 0, []]);
  });

  it('ends the process of a client that leaves, and deletes its files, while others wait and after', async () => {
    const folders = importFolders();
    const server = await serverWith({}, { limits: { importMemoryBytes: 512 * 1024 ** 2 } });
    const running = await upload(server, 'ann', UNREAD, true);
    const [response] = (await once(running, 'response')) as [IncomingMessage];
    await once(response, 'readable');
    expect(importProcesses(process.pid)).toHaveLength(1);
    const waiting = await upload(server, 'bob', '{"nothing":1}', true);
    await expect.poll(folders).toHaveLength(2);
    waiting.destroy();
    await expect.poll(folders).toHaveLength(1);
    expect(importProcesses(process.pid)).toHaveLength(1);
    running.destroy();
    await expect.poll(() => [importProcesses(process.pid), folders()]).toEqual([[], []]);
    expect((await server.bring('{"nothing":1}', await bearer('ann'))).status).toBe(200);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('frees all imports of a connection that closes, also those that wait for the answers before them', async () => {
    const folders = importFolders();
    const server = await serverWith({}, { limits: { importMemoryBytes: 512 * 1024 ** 2 } });
    const { authorization } = await bearer('ann');
    const head = `POST /import HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/jsonl\r\n`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    socket.write(`${head}content-length: ${UNREAD.length}\r\n\r\n${UNREAD}`.repeat(2));
    await expect.poll(folders).toHaveLength(2);
    socket.destroy();
    await expect.poll(() => [importProcesses(process.pid), folders()]).toEqual([[], []]);
    expect((await server.bring('{"nothing":1}', await bearer('bob'))).status).toBe(200);
  });

  it('ends an import whose client does not read when its time is over', async () => {
    const limits = { importMemoryBytes: 512 * 1024 ** 2, importTimeoutMs: 3_600_000 };
    const server = await serverWith({}, { limits });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const unread = await upload(server, 'ann', UNREAD, true);
    await once(unread, 'response');
    vi.advanceTimersByTime(limits.importTimeoutMs);
    vi.useRealTimers();
    expect((await server.bring('{"nothing":1}', await bearer('bob'))).status).toBe(200);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('ends with an error line when its process is killed', async () => {
    const server = await serverWith({});
    const request = await upload(server, 'ann', UNREAD, true);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    for (const pid of importProcesses(process.pid)) process.kill(pid, 'SIGKILL');
    const last = (await text(response)).trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ error: { code: 'OVERLOADED' } });
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('notifies followers of a chat of imported messages', async () => {
    const [from, to] = [await serverWith({ a: 'ann' }), await serverWith({}, { sweepIntervalMs: 3_600_000 })];
    const ann = await bearer('ann');
    await to.bring((await from.out('', ann)).text, ann);
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(to.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers, ...ann }, body });
    const stream = await openStream({ post }, 'subscription { chatEvents(chatId: "a", after: 3) { seq } }');
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { seq: 4 } } });
    await atDatabase(from.databaseUrl, ({ store }) => {
      const messages = [{ id: 'a-2', name: 'user', type: 'message', content: { text: 'Again' } }];
      return saveMessages(store, { userId: 'ann', isAdmin: false }, { chatId: 'a', messages });
    });
    expect((await to.bring((await from.out('', ann)).text, ann)).text).toContain('"updated":1');
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { seq: 5 } } });
  });

  it('deletes the folder of a process that was killed, and of no other', async () => {
    const folders = importFolders();
    const living = createLockedFolder();
    onTestFinished(() => living.remove());
    const program = `import { createLockedFolder } from './dist/interchange/locked-folders.js';
      createLockedFolder(); process.stdout.write('made'); setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', program]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const server = await serverWith({});
    await server.bring('{"nothing":1}', await bearer('ann'));
    expect(folders()).toHaveLength(2);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await serverWith({});
    await expect.poll(folders).toEqual([living.path]);
  });

  it('ends with an error that has no details of a database that fails', async () => {
    const { bring, databaseUrl, unexpectedErrors } = await serverWith({});
    await (await rawDatabase(databaseUrl)).run('ALTER TABLE message_texts RENAME TO secret_texts');
    const answer = await bring('{"messages":[{"role":"user","content":"x"}]}\n', await bearer('ann'));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      500,
      { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
    ]);
    expect([...unexpectedErrors.values()].join()).toContain('no such table');
  });

  it('says what cannot be read, and where', async () => {
    const { bring } = await serverWith({});
    const answer = await bring('{"nothing":1}', await bearer('ann'));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"couldNotRead"')]);
  });
});

describe('DELETE /users', () => {
  it('erases a user for an admin, reports the counts, and notifies followers of their chats', async () => {
    const server = await serverWith({ a: 'ann', b: 'bob', c: 'ann' });
    const admin = await bearer('root', true);
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...admin },
        body,
      });
    const stream = await openStream(
      { post },
      'subscription { chatEvents(chatId: "a", after: 3) { __typename actorId } }',
    );
    expect(await stream.next()).toMatchObject({ data: { chatEvents: { __typename: 'BranchHeadMoved' } } });
    const answer = await server.erase('?userId=ann', admin);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ erased: { removed: { chats: 2, messages: 2 }, isInLog: false } });
    expect(await stream.next()).toEqual({ data: { chatEvents: { __typename: 'ChatDeleted', actorId: 'erased' } } });
    const { chats, messages, texts } = await contentOf(server.databaseUrl);
    expect([chats.map(({ id }) => id), messages.length, texts.length]).toEqual([['b'], 1, 1]);
    expect(JSON.stringify(await contentOf(server.databaseUrl))).not.toContain('ann');
    const again = await server.erase('?userId=ann', admin);
    expect(JSON.parse(again.text)).toMatchObject({ erased: { removed: { chats: 0, messages: 0 } } });
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it.each([
    ['?userId=bob', undefined, 401, 'UNAUTHENTICATED'],
    ['?userId=bob', 'bob', 403, 'FORBIDDEN'],
    ['?userId=ann', 'bob', 403, 'FORBIDDEN'],
    ['', 'root', 400, 'BAD_REQUEST'],
    ['?userId=', 'root', 400, 'BAD_REQUEST'],
    ['?userId=ann&userId=bob', 'root', 400, 'BAD_REQUEST'],
    ['?user=ann', 'root', 400, 'BAD_REQUEST'],
  ])('%s by %s is refused with %i', async (query, user, status, code) => {
    const { erase, databaseUrl } = await serverWith({ b: 'bob' });
    const answer = await erase(query, user === undefined ? {} : await bearer(user, user === 'root'));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ extensions: { code } }] });
    expect((await contentOf(databaseUrl)).chats).toHaveLength(1);
  });

  it('is for no form and no link', async () => {
    const { at, databaseUrl } = await serverWith({ b: 'bob' });
    for (const method of ['GET', 'POST']) {
      const response = await fetch(at('/users?userId=bob'), { method, headers: await bearer('root', true) });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE']);
    }
    expect((await contentOf(databaseUrl)).chats).toHaveLength(1);
  });

  it('goes on when the client goes', async () => {
    const server = await serverWith({ b: 'bob' });
    await atDatabase(server.databaseUrl, ({ store }) => writeChain(store, 'long', 3000));
    const headers = await bearer('root', true);
    await new Promise<void>((resolve) => {
      const request = httpRequest(server.at('/users?userId=u'), { method: 'DELETE', headers });
      request.on('error', () => resolve()).end(() => setImmediate(() => request.destroy(new Error('gone'))));
    });
    await expect.poll(async () => idsIn((await server.out('?everybody=true', headers)).text)).toEqual(['b']);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});
