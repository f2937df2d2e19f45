/** Zips that are hostile or incomplete. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf } from '../readers/chatgpt-export.js';
import { importContent, onlyChat } from '../imported-chats.js';
import { writeZip } from './write-zip.js';
import { PNG, image, saying } from './zips-with-files.js';

const database = databaseForEach();

async function importZip(given: object, files: Record<string, string | Buffer>) {
  const zip = writeZip({ 'conversations.json': JSON.stringify([given]), ...files });
  const report = await importContent(database, zip);
  expect(report.failures.kept).toEqual([]);
  return report;
}

async function filesOf(): Promise<unknown[]> {
  const [first] = (await onlyChat(database)).messages;
  return first!.data.parts.filter(({ type }) => type === 'file');
}

/** The zip with another value in a field of the central directory entry of a file. */
function messagesOf(zip: Buffer, name: string, field: keyof typeof FIELDS, value: number): Buffer {
  const start = zip.lastIndexOf(name) - 46;
  expect(zip.toString('latin1', start, start + 4)).toBe('PK\x01\x02');
  const changed = Buffer.from(zip);
  if (field === 'flags' || field === 'method') changed.writeUInt16LE(value, start + FIELDS[field]);
  else changed.writeUInt32LE(value, start + FIELDS[field]);
  return changed;
}

const FIELDS = { flags: 8, method: 10, checksum: 16, packed: 20, size: 24, place: 42 };

describe('a hostile zip', () => {
  const given = saying([image('file-service://file-Abc1')]);
  const zipOf = (name: string, content: Buffer) =>
    writeZip({ 'conversations.json': JSON.stringify([given]), [name]: content });

  it.each<[what: string, field: keyof typeof FIELDS, value: number, content: Buffer]>([
    ['unpacks to more than its declared size', 'size', 100, Buffer.alloc(50_000_000)],
    ['unpacks to less than its declared size', 'size', 700_000, PNG],
    ['is packed in more bytes than it has', 'packed', 4_000_000_000, PNG],
    ['is packed in more bytes than the zip has', 'packed', 900, PNG],
    ['has another checksum', 'checksum', 1, PNG],
    ['lies behind the end', 'place', 4_000_000_000, PNG],
    ['lies where another one does', 'place', 7, PNG],
    ['is encrypted', 'flags', 1, PNG],
    ['is packed in some other way', 'method', 12, PNG],
  ])('with a file that %s keeps the pointer', async (_, field, value, content) => {
    const report = await importContent(
      database,
      messagesOf(zipOf('file-Abc1.png', content), 'file-Abc1.png', field, value),
    );
    expect(report.failures.kept).toEqual([]);
    expect(report.warnings.kept).toEqual([expect.stringContaining('1 of its files is damaged in the zip')]);
    expect(await filesOf()).toMatchObject([{ url: 'file-service://file-Abc1' }]);
  });

  it('with a file in too many messages keeps pointers beyond the limit', async () => {
    const nodes = Array.from({ length: 120 }, (_, n) => (n === 0 ? 'n0' : `n${n} < n${n - 1}`));
    const many = conversation(nodes);
    const content = { content_type: 'multimodal_text', parts: [image('file-service://file-Abc1')] };
    for (const id of Object.keys(many.mapping)) nodeOf(many, id).message = message(id, { content });
    const report = await importZip(many, { 'file-Abc1.png': Buffer.alloc(700_000) });
    expect(report.warnings.kept).toEqual([
      expect.stringContaining('1 of its files is left out, because the zip unpacks to more than 30 times its size'),
    ]);
    const urls = (await onlyChat(database)).messages.map(({ data }) =>
      String((data.parts[0] as { url?: unknown }).url),
    );
    expect(urls.filter((url) => url.startsWith('data:'))).toHaveLength(95);
  });

  it('is refused if the name of an image points outside', async () => {
    await expect(importContent(database, zipOf('../file-Abc1.png', PNG))).rejects.toThrow('leads out of it');
  });

  it('with more entries than the limit is not searched', async () => {
    const names = Array.from({ length: 50_001 }, (_, n) => [`${n}.json`, '{}']);
    const zip = writeZip(Object.fromEntries(names) as Record<string, string>);
    await expect(importContent(database, zip)).rejects.toThrow(
      'More than 50,000 files in it may contain conversations',
    );
  });
});

describe('the report names', () => {
  const CHATS = JSON.stringify([conversation(['a'])]);
  const export2026 = {
    'export_manifest.json': JSON.stringify({ files: [{ name: 'conversations-000.json' }, 'x/conversations-001.json'] }),
    'conversations-000.json': CHATS,
    'library_files.json': '[]',
    'chat.html': '<html></html>',
    'file-Abc1.json': '{}',
    'conversation_asset_file_names.json': '{}',
  };
  const CHATGPT = [
    'library_files.json is left out: it does not have the name of a list of conversations',
    'conversations-001.json is missing: export_manifest.json names it',
  ];

  it('files and missing shards of a zip of ChatGPT', async () => {
    const report = await importContent(database, writeZip(export2026));
    expect([report.conversations.imported, report.notes.kept]).toEqual([1, CHATGPT]);
  });

  it('files and missing shards of a folder', async () => {
    const folder = join(database.folder, 'unpacked');
    await mkdir(folder);
    for (const [name, text] of Object.entries(export2026)) await writeFile(join(folder, name), text);
    const reading = readConversations(folder);
    for await (const { nodes } of reading) expect(nodes).toHaveLength(1);
    expect(reading.report.notes.kept).toEqual(CHATGPT);
  });

  it('projects and memories of Claude', async () => {
    const files = { 'projects.json': '[]', 'memories.json': '[]' };
    const report = await importContent(database, writeZip({ 'data/conversations.json': CHATS, ...files }));
    expect(report.notes.kept).toEqual([
      'memories.json is left out: it does not have the name of a list of conversations',
      'projects.json is left out: it does not have the name of a list of conversations',
    ]);
  });

  it('files beside and in the zips of an export', async () => {
    const part = writeZip({ 'conversations-000.json': CHATS, 'chat.html': '', 'user.json': '{}' });
    const report = await importContent(
      database,
      writeZip({ 'Conversations__x.zip': part, 'user.json': '{}', 'export_manifest.json': '"conversations-009.json"' }),
    );
    expect(report.notes.kept).toEqual([
      'user.json is left out: it does not have the name of a list of conversations',
      'Conversations__x.zip/user.json is left out: it does not have the name of a list of conversations',
    ]);
  });
});
