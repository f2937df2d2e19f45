/** Exports in parts, each of which is a zip of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSourceFile } from '../../src/interchange/files/open-file.js';
import { importFile } from '../../src/interchange/importing/import-file.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';
import { conversation, message, nodeOf } from './readers/chatgpt-export.js';
import { importContent, importedChats } from './imported-chats.js';
import { writeZip } from './write-zip.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

const PNG = Buffer.from('\x89PNG\r\n\x1a\n with a picture', 'latin1');

/** A part with one conversation, whose message points to an image of this content beside it. */
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

  it('are read, each with the files beside it', async () => {
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
    expect([report.failures.kept, report.notes.kept, report.warnings.kept]).toEqual([[], [], []]);
    expect(await images()).toMatchObject({ c1: embedded(PNG), c2: embedded(other) });
  });

  it('do not stop each other when one is damaged', async () => {
    const report = await importContent(database, writeZip({ [named(1)]: 'oops', [named(2)]: part('c2') }));
    expect(report.failures.kept).toEqual([expect.stringMatching(/^User .*-0001\.zip: The zip file cannot be read: /)]);
    expect(Object.keys(await images())).toEqual(['c2']);
  });

  it('are refused where they hold none, or grow as zips do not', async () => {
    const bomb = writeZip({ [named(1)]: Buffer.alloc(65 * 1024 * 1024) });
    await expect(importContent(database, bomb)).rejects.toThrow(/unpacks to more than 10 times its size/);
    const empty = writeZip({ [named(1)]: writeZip({ 'README.txt': 'none' }) });
    await expect(importContent(database, empty)).rejects.toThrow(/there are no conversations in the zips/);
  });
});

it('reads the zips in a folder, of which some hold none', async () => {
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
  expect([report.failures.kept, report.notes.kept]).toEqual([[], []]);
  expect(await images()).toMatchObject({ c1: embedded(PNG), c2: embedded(PNG) });
});
