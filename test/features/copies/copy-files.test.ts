/** `npm run copy` with files: rows, references and contents, each content verified. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command as check } from '../../../src/features/maintenance/check-command.js';
import { startFileServer, sha256, withFile } from '../files/file-server.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { runHere } from '../../cli/run-here.js';
import { copy, copyFromTo, SAME } from './run-copy.js';

/** A database in which ann has two files in a chat and an unused one; bob has a file with one of these contents. */
async function writeSource() {
  const databaseUrl = `file:${temporaryFile()}`;
  const server = await startFileServer({ databaseUrl });
  const [ann, bob] = [await server.as('ann'), await server.as('bob')];
  await ann.createChat('a');
  await bob.createChat('b');
  const contents = [randomBytes(300_000), randomBytes(10), randomBytes(20)];
  const [large, small, unused] = contents as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>, Buffer<ArrayBuffer>];
  for (const content of contents) await ann.upload(content);
  const reference = (content: Buffer) => `parley:file:${sha256(content)}`;
  await ann.save('a', 'm', { parts: [withFile(reference(large)), withFile(reference(small), 'small.bin')] });
  await bob.upload(small);
  await bob.save('b', 'n', withFile(reference(small)));
  await server.stop();
  return { databaseUrl, large, small, unused };
}

const filesOf = (url: string) => `${url.slice('file:'.length)}.files`;
const hashesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => /^..\/([0-9a-f]{64})-/.exec(name)?.[1])
    .filter((hash) => hash !== undefined)
    .sort();
const pathOf = (folder: string, content: Buffer) =>
  join(
    folder,
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.includes(`${sha256(content)}-`))!,
  );

async function expectSound(databaseUrl: string, filesUrl?: string) {
  const environment = { DATABASE_URL: databaseUrl, ...(filesUrl !== undefined && { FILES_URL: filesUrl }) };
  expect(await runHere('check', check, [], { environment })).toMatchObject({ code: 0, error: [] });
}

describe('a copy of files', () => {
  it('has references, rights and contents, and its server returns them', async () => {
    const { databaseUrl, large, small, unused } = await writeSource();
    const target = `file:${temporaryFile()}`;
    const { code, out, error } = await copyFromTo(databaseUrl, target);
    expect([code, error, out.at(-1)]).toEqual([0, [], SAME]);
    expect(out).toContain('  message_files                  3           3');
    expect(out).toContain('  user_files                     4           4');
    expect(hashesIn(filesOf(target))).toEqual([large, small, unused].map(sha256).sort());
    await expectSound(target);
    expect(await copyFromTo(databaseUrl, target)).toMatchObject({ code: 0, error: [] });
    expect(hashesIn(filesOf(target))).toHaveLength(3);

    const server = await startFileServer({ databaseUrl: target });
    const [ann, bob] = [await server.as('ann'), await server.as('bob')];
    for (const content of [large, small]) {
      const read = await ann.get(`/files/${sha256(content)}?message=m`);
      expect(sha256(Buffer.from(await read.arrayBuffer()))).toBe(sha256(content));
    }
    expect((await ann.save('a', 'later', withFile(`parley:file:${sha256(unused)}`))).messages).toMatchObject([
      { files: [{ file: { size: 20 } }] },
    ]);
    expect((await bob.get(`/files/${sha256(small)}`)).status).toBe(200);
    expect((await bob.get(`/files/${sha256(large)}`)).status).toBe(404);
  });

  it('writes to the named storage, and reads from it', async () => {
    const { databaseUrl } = await writeSource();
    const [middle, target, folder] = [`file:${temporaryFile()}`, `file:${temporaryFile()}`, temporaryFolder()];
    const there = await copy('--from', databaseUrl, '--to', middle, '--files-to', `file:${folder}`);
    expect(there).toMatchObject({ code: 0, error: [] });
    await expectSound(middle, `file:${folder}`);
    const back = await copy('--from', middle, '--to', target, '--files-from', `file:${folder}`);
    expect(back).toMatchObject({ code: 0, error: [] });
    expect(hashesIn(filesOf(target))).toEqual(hashesIn(folder));
  });

  it('names contents that are missing, changed or too large, and copies the other chats', async () => {
    const { databaseUrl, large, small, unused } = await writeSource();
    const target = `file:${temporaryFile()}`;
    const tooLarge = await copy('--from', databaseUrl, '--to', target, '--files-to', 'database');
    const most = 'the storage of the target takes files of at most 262144; choose another with --files-to';
    const reason = `its file "${sha256(large)}" has 300000 bytes, and ${most}`;
    expect([tooLarge.code, tooLarge.error]).toEqual([
      1,
      [`Chat "a" was not copied: ${reason}`, `A user was not given a file: ${reason}.`],
    ]);
    await expectSound(target, 'database');

    rmSync(pathOf(filesOf(databaseUrl), unused));
    writeFileSync(pathOf(filesOf(databaseUrl), large), readFileSync(pathOf(filesOf(databaseUrl), large)).reverse());
    const other = `file:${temporaryFile()}`;
    const damaged = await copyFromTo(databaseUrl, other);
    expect([damaged.code, damaged.error[0]]).toEqual([
      1,
      `Chat "a" was not copied: the content of its file "${sha256(large)}" has another hash`,
    ]);
    expect(damaged.error[1]).toMatch(/^A user was not given a file: the content of its file .*; 1 more\.$/);
    expect(hashesIn(filesOf(other))).toEqual([sha256(small)]);
    expect(basename(pathOf(filesOf(other), small))).not.toBe(basename(pathOf(filesOf(databaseUrl), small)));
    expect(readdirSync(join(filesOf(other), 'temporary'))).toEqual([]);
    await expectSound(other);
  });
});
