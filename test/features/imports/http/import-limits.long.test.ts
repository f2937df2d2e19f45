/** `POST /import` over sockets: limits of uploads and imports, and the resources that they release. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLockedFolder } from '../../../../src/system/locked-folders.js';
import { importProcesses } from '../../../support/server/import-processes.js';
import { bearer } from '../../../support/server/tokens.js';
import { drip, idsIn, importFolders, serverWith, UNREAD, upload } from './transfer-server.js';

describe('POST /import', () => {
  it('releases the resources of an upload that never completes', async () => {
    const server = await serverWith({}, { limits: { uploadTimeoutMs: 150 } });
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

  it('receives a slow upload beyond the timeout of other requests', async () => {
    const server = await serverWith({}, { limits: { requestTimeoutMs: 200 } });
    const body = '{"messages":[{"role":"user","content":"Slow"},{"role":"assistant","content":"Yes"}]}';
    const answer = await drip(server.url, await bearer('ann'), body.length, body.match(/.{1,6}/g) ?? []);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*"imported":1/);
  });

  it.each([
    ['pauses', { uploadIdleTimeoutMs: 300 }, 'pause for at most 300 ms', ['{', '"']],
    ['takes too long', { uploadTimeoutMs: 300 }, 'arrive within 300 ms', [...'{"messages":['.repeat(10)]],
  ])('ends an upload that %s, with an error that browsers do not retry', async (_, limits, rule, pieces) => {
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

  it('deletes its files before the response ends, so that a stopping server does not wait', async () => {
    const { bring } = await serverWith({});
    const folders = importFolders();
    const headers = await bearer('ann');
    expect((await bring('{"nothing":1}', headers)).status).toBe(200);
    expect(folders()).toEqual([]);
  });

  it('keeps slots for exports and erasures while many uploads hang', async () => {
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

  it('ends only the import that exceeds its memory limit', async () => {
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

  it('ends the process and deletes the files of a disconnected client, also while other imports wait', async () => {
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

  it('ends all imports of a closed connection, also pipelined ones', async () => {
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

  it('ends an import at its timeout when the client does not read', async () => {
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

  it('deletes only the folder of the killed process', async () => {
    const folders = importFolders();
    const living = createLockedFolder();
    onTestFinished(() => living.remove());
    const program = `import { createLockedFolder } from './dist/system/locked-folders.js';
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
});
