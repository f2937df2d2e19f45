/** Exports in parts, each of which is a zip. */
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSourceFile } from '@parley/interchange/server';
import { importFile } from '../../../../src/features/imports/import-file.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf } from '../readers/chatgpt-export.js';
import { importContent, importedChats } from '../imported-chats.js';
import { writeZip } from './write-zip.js';

const database = databaseForEach();

const PNG = Buffer.from('\x89PNG\r\n\x1a\n with a picture', 'latin1');

/** A part with one conversation, whose message references an image in the same part. */
function part(id: string, content = PNG): Buffer {
  const given = conversation(['a'], { conversation_id: id });
  const pointer = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-One' };
  nodeOf(given, 'a').message = message('a', { content: { content_type: 'multimodal_text', parts: [pointer] } });
  return writeZip({
    'conversations-000.json': JSON.stringify([given]),
    'file-One.png': content,
    'user.json': '{"id": "u"}',
    'chat.html': '<html>',
  });
}

/** By the ids of the conversations. */
async function images(): Promise<Record<string, unknown>> {
  const chats = Object.entries(await importedChats(database));
  return Object.fromEntries(chats.map(([id, { messages }]) => [id, messages[0]?.data.parts[0]]));
}
const embedded = (bytes: Buffer) => ({ url: `data:image/png;base64,${bytes.toString('base64')}` });

describe('the zips in a zip', () => {
  const named = (n: number) => `User Online Activity/Conversations__abc-chatgpt-000${n}.zip`;

  it('are read, each with its own files', async () => {
    const other = Buffer.concat([PNG, Buffer.from('another')]);
    const report = await importContent(
      database,
      writeZip({
        'report.html': '<html>',
        'User Profile/profile.json': '{"name": "Ann"}',
        'Financial/Charge History.csv': 'a,b',
        'Files/Files__abc.zip': 'not looked at',
        [named(1)]: part('c1'),
        [named(2)]: part('c2', other),
      }),
    );
    expect([report.failures.kept, report.warnings.kept]).toEqual([[], []]);
    expect(report.notes.kept.map((line) => line.replace(/ is left out: .*/, ''))).toEqual([
      'User Profile/profile.json',
      'report.html',
      'User Online Activity/Conversations__abc-chatgpt-0001.zip/user.json',
      'User Online Activity/Conversations__abc-chatgpt-0002.zip/user.json',
    ]);
    expect(await images()).toMatchObject({ c1: embedded(PNG), c2: embedded(other) });
  });

  it('do not stop each other when one is damaged', async () => {
    const report = await importContent(database, writeZip({ [named(1)]: 'oops', [named(2)]: part('c2') }));
    expect(report.failures.kept).toEqual([expect.stringMatching(/^User .*-0001\.zip: The zip file cannot be read: /)]);
    expect(Object.keys(await images())).toEqual(['c2']);
  });

  it('do not stop each other when the stream of one is damaged', async () => {
    const zip = writeZip({ [named(1)]: part('c1'), [named(2)]: part('c2') });
    zip.fill(0xff, 100, 110);
    const report = await importContent(database, zip);
    expect(report.failures.kept).toEqual([expect.stringMatching(/^User .*-0001\.zip: The zip file cannot be read: /)]);
    expect(Object.keys(await images())).toEqual(['c2']);
  });

  it('are refused without conversations, or above the maximum compression ratio', async () => {
    const bomb = writeZip({ [named(1)]: Buffer.alloc(65 * 1024 * 1024) });
    await expect(importContent(database, bomb)).rejects.toThrow(/unpacks to more than 10 times its size/);
    const empty = writeZip({ [named(1)]: writeZip({ 'README.txt': 'none' }) });
    const { failures } = await importContent(database, empty);
    expect(failures.kept).toEqual([expect.stringMatching(/the zips of conversations contain none/)]);
  });
});

describe('a hostile zip of zips is refused', () => {
  const named = (n: number) => `conversations-${n}.zip`;
  const many = (count: number, content: Buffer) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [named(n), content]));

  it('when its parts share bytes', async () => {
    const zip = writeZip(many(3, part('c1')), true);
    await expect(importContent(database, zip)).rejects.toThrow(/Files in the zip file overlap/);
  });

  it('when it has more parts than any export', async () => {
    const zip = writeZip(many(301, Buffer.from('PK')));
    await expect(importContent(database, zip)).rejects.toThrow(
      'An export must have at most 300 zips as parts, got 301',
    );
  });

  it('when its unpacked parts exceed the limit in total', async () => {
    const zip = writeZip(many(3, Buffer.alloc(30 * 1024 * 1024)));
    await expect(importContent(database, zip)).rejects.toThrow(/unpacks to more than 10 times its size/);
  });
});

it('an import unpacks one part at a time to the disk', async () => {
  const folder = join(database.folder, 'temporary');
  await mkdir(folder);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(database.folder, 'export');
  const parts = ['c1', 'c2', 'c3'].map((id, n) => [`conversations-${n}.zip`, part(id)]);
  await writeFile(path, writeZip(Object.fromEntries(parts) as Record<string, Buffer>));
  const zips = () => readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.zip'));
  const onDisk: number[] = [];
  const file = await openSourceFile(path);
  const onRead = (read: unknown) => {
    if (read !== null) onDisk.push(zips().length);
  };
  await importFile(database.store, 'local', file, { onRead });
  await file.close();
  expect([onDisk, readdirSync(folder)]).toEqual([[1, 1, 1], []]);
});

it('an import reads the zips of a folder, also if some have no conversations', async () => {
  const folder = join(database.folder, 'export');
  await mkdir(folder);
  const files = {
    'conversations-000.zip': part('c1'),
    'conversations-001.zip': part('c2'),
    'design_chats-000.zip': writeZip({ 'design_chats/README.txt': 'none' }),
    'light_metadata-000.zip': writeZip({ 'users.json': '[{"uuid": "u"}]' }),
    'manifest-abc.json': '{"total_files": 4}',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const file = await openSourceFile(folder);
  const report = await importFile(database.store, 'local', file);
  await file.close();
  expect(report.failures.kept).toEqual([]);
  expect(report.notes.kept.map((line) => line.replace(/ is left out: .*/, ''))).toEqual([
    'manifest-abc.json',
    'conversations-000.zip/user.json',
    'conversations-001.zip/user.json',
  ]);
  expect(await images()).toMatchObject({ c1: embedded(PNG), c2: embedded(PNG) });
});
