/** A full disk of FILES_URL: uploads, data URLs and imports. */
import { rmSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { smallDisk } from '../../support/small-disk.js';
import { startFileServer, withFile } from './file-server.js';

const MIB = 1024 * 1024;
const DATA_URL = `data:text/plain;base64,${Buffer.alloc(20_000, 'x').toString('base64')}`;
const WARNING = 'The storage of files (FILES_URL) is full';
const ERRORS = [{ message: `${WARNING}: retry later`, extensions: { code: 'STORAGE_UNAVAILABLE' } }];

/** A server whose files are on a disk that another program has filled; null when this user cannot mount one. */
async function startOnFullDisk() {
  const disk = smallDisk(2);
  if (disk === null) return null;
  const lines: string[] = [];
  const logged = { log: (line: string) => void lines.push(line), logError: () => void lines.push('unexpected') };
  const server = await startFileServer({ filesUrl: `file:${disk}`, ...logged });
  expect(() => writeFileSync(`${disk}/other`, Buffer.alloc(3 * MIB))).toThrow('ENOSPC');
  const warnings = async () => {
    const response = await fetch(server.at('/health/ready'));
    return [response.status, ((await response.json()) as { warnings?: string[] }).warnings];
  };
  const problem = `Files cannot be stored: The folder ${disk} of files cannot be written: no space is left on its disk`;
  return { ann: await server.as('ann'), lines, warnings, problem, free: () => rmSync(`${disk}/other`) };
}

it('a full disk of FILES_URL is named, logged once, and shown by readiness until it has space', async ({ skip }) => {
  const server = await startOnFullDisk();
  if (server === null) return skip('this user cannot mount a small disk');
  const { ann, lines, warnings, problem, free } = server;
  expect(await warnings()).toEqual([200, undefined]);
  for (let n = 0; n < 3; n++)
    expect(await ann.upload('content')).toMatchObject({ status: 503, body: { errors: ERRORS } });
  for (let n = 0; n < 3; n++) expect(await warnings()).toEqual([200, [WARNING]]);
  expect(lines).toEqual([problem]);
  free();
  await expect.poll(warnings).toEqual([200, undefined]);
  expect(await ann.upload('content')).toMatchObject({ status: 201 });
  expect(lines).toEqual([problem, 'Files can be stored again']);
});

it('a save on a full disk of FILES_URL leaves its data URL in the message, and readiness shows the disk', async ({
  skip,
}) => {
  const server = await startOnFullDisk();
  if (server === null) return skip('this user cannot mount a small disk');
  const { ann, lines, warnings, problem, free } = server;
  await ann.createChat('c');
  const data = withFile(DATA_URL);
  expect(await ann.save('c', 'a', data)).toMatchObject({ messages: [{ data, files: [] }] });
  expect([await warnings(), lines]).toEqual([[200, [WARNING]], [problem]]);
  free();
  // A stored content also ends the problem.
  expect(await ann.save('c', 'b', data)).toMatchObject({ messages: [{ files: [{ file: { size: 20_000 } }] }] });
  expect([await warnings(), lines.at(-1)]).toEqual([[200, undefined], 'Files can be stored again']);
});

it('an import on a full disk of FILES_URL names the disk, and succeeds when it has space', async ({ skip }) => {
  const server = await startOnFullDisk();
  if (server === null) return skip('this user cannot mount a small disk');
  const { ann, lines, warnings, problem, free } = server;
  const file = Buffer.from(`${JSON.stringify({ id: 'm', ...withFile(DATA_URL) })}\n`);
  expect(await ann.bring(file)).toEqual([{ errors: ERRORS }]);
  expect([await warnings(), lines]).toEqual([[200, [WARNING]], [problem]]);
  free();
  expect((await ann.bring(file)).at(-1)).toMatchObject({ totals: { messages: { imported: 1 }, warnings: 0 } });
});

it('an upload that fills the disk leaves its space to others', async ({ skip }) => {
  const server = await startOnFullDisk();
  if (server === null) return skip('this user cannot mount a small disk');
  const { ann, free } = server;
  free();
  const large = Buffer.alloc(3 * MIB, 'x');
  expect(await ann.upload(large, { sha256: 'a'.repeat(64) })).toMatchObject({ status: 503, body: { errors: ERRORS } });
  expect(await ann.upload(Buffer.alloc(MIB, 'x'))).toMatchObject({ status: 201 });
});

it('a full TMPDIR, where contents of another storage and imports arrive, is named and logged once', async ({
  skip,
}) => {
  const disk = smallDisk(2);
  if (disk === null) return skip('this user cannot mount a small disk');
  vi.stubEnv('TMPDIR', disk);
  onTestFinished(() => void vi.unstubAllEnvs());
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const server = await startFileServer({ filesUrl: 'database', log });
  const ann = await server.as('ann');
  expect(() => writeFileSync(`${disk}/other`, Buffer.alloc(3 * MIB))).toThrow('ENOSPC');
  const message = 'The server cannot store uploads: its TMPDIR must be writable and have room';
  const errors = [{ message, extensions: { code: 'OVERLOADED' } }];
  for (let n = 0; n < 2; n++) {
    expect(await ann.upload('content')).toMatchObject({ status: 503, body: { errors } });
    expect(await ann.bring(Buffer.from('[]'))).toEqual([{ errors }]);
  }
  expect([lines, server.unexpectedErrors.size]).toEqual([[expect.stringContaining('to TMPDIR: ENOSPC')], 0]);
});
