import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { READABLE_FORMATS, readConversations, UnreadableError, type ConversationTree } from '@parley/interchange';
import { sampleNames, SAMPLES_FOLDER } from '../../../test/features/imports/readers/sample-graphs.js';
import { conversation, message, nodeOf } from '../../../test/features/imports/readers/chatgpt-export.js';
import { writeZip } from '../../../test/features/imports/zips/write-zip.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';

const LINES =
  '{"role":"user","content":"One","id":"1"}\n{"role":"assistant","content":"Two","id":"2","parentId":"1"}\n';

interface ReadTree extends Omit<ConversationTree, 'nodes'> {
  texts: string[];
}

/** The trees with the texts of their messages, which must be read before the next tree. */
async function treesOf(reading: AsyncIterable<ConversationTree>): Promise<ReadTree[]> {
  const trees: ReadTree[] = [];
  for await (const { nodes, ...tree } of reading) {
    const texts = nodes.map((node) => JSON.stringify(node.content().parts.map((part) => part['text'] ?? part.type)));
    trees.push({ ...tree, texts });
  }
  return trees;
}

describe('readConversations', () => {
  it.each(sampleNames())('reads %s, and counts its conversations and messages', async (name) => {
    const reading = readConversations(join(SAMPLES_FOLDER, name));
    const trees = await treesOf(reading);
    expect(trees).not.toEqual([]);
    expect(reading.report).toMatchObject({
      conversations: trees.length,
      messages: trees.reduce((sum, { texts }) => sum + texts.length, 0),
      failures: { total: 0 },
    });
  });

  it.each([
    ['a path', (path: string) => path],
    ['bytes', (path: string) => new Uint8Array(readFileSync(path))],
    ['a stream', (path: string) => Readable.from([readFileSync(path)])],
    ['a stream of text', () => Readable.from([LINES.slice(0, 20), LINES.slice(20)])],
    ['a gzipped stream', (path: string) => Readable.from([gzipSync(readFileSync(path))])],
  ])('reads %s', async (_, file) => {
    const path = join(temporaryFolder(), 'lines.jsonl');
    writeFileSync(path, LINES);
    const [tree] = await treesOf(readConversations(file(path)));
    expect(tree).toMatchObject({ source: 'lines', place: 'line 1', texts: ['["One"]', '["Two"]'], activeNode: '2' });
  });

  it('continues after an unreadable conversation and reports its place', async () => {
    const reading = readConversations(
      Buffer.from('{"messages":[]}\n{"nothing":1}\n{"messages":[{"role":"user","content":"Hi"}]}'),
    );
    expect((await treesOf(reading)).map(({ texts }) => texts)).toEqual([['["Hi"]']]);
    expect(reading.report.failures.kept).toEqual([
      'line 1: no supported format has the fields "messages"',
      'line 2: no supported format has the fields "nothing"',
    ]);
  });

  it('reports the place where a file ends early, and yields the trees before it', async () => {
    const whole = JSON.stringify([conversation(['a']), conversation(['b'])]);
    const reading = readConversations(Buffer.from(whole.slice(0, -30)));
    expect(await treesOf(reading)).toHaveLength(1);
    expect(reading.report.failures.kept).toEqual([
      'conversation 2: it breaks off before its end: the file is not complete; nothing after it was read',
    ]);
  });

  it('embeds the files of a zip in the messages that refer to them, and counts missing ones', async () => {
    const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1', width: 1, height: 1 };
    const parts = ['Look', image, { ...image, asset_pointer: 'file-service://file-2' }];
    const path = join(temporaryFolder(), 'export.zip');
    const png = Buffer.from('\x89PNG\r\n', 'latin1');
    const chat = conversation(['a']);
    nodeOf(chat, 'a').message = message('a', { content: { content_type: 'multimodal_text', parts } });
    writeFileSync(
      path,
      writeZip({ 'conversations.json': JSON.stringify([chat]), 'file-1-photo.png': png, 'notes.txt': 'x' }),
    );
    const reading = readConversations(path);
    const urls: unknown[] = [];
    for await (const { nodes } of reading) {
      for (const node of nodes) {
        for (let n = 0; n < 2; n++) urls.push(...node.content().parts.map((part) => part['url']));
      }
    }
    const url = `data:image/png;base64,${png.toString('base64')}`;
    expect(urls).toEqual([undefined, url, 'file-service://file-2', undefined, url, 'file-service://file-2']);
    expect(reading.filesLeftOut).toEqual({ missing: 1, large: 0, damaged: 0, tooMuch: 0 });
  });

  it('notes each file of a folder without conversations', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'chat.jsonl'), LINES);
    writeFileSync(join(folder, 'settings.json'), '{"theme":"dark"}');
    const reading = readConversations(folder);
    expect(await treesOf(reading)).toMatchObject([{ place: 'line 1 of chat.jsonl' }]);
    expect(reading.report.notes.kept).toEqual(['settings.json contains no conversations']);
    expect(reading.report.failures.total).toBe(0);
  });

  it('fails for a folder without conversations', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'settings.json'), '{"theme":"dark"}');
    const reading = readConversations(folder);
    expect(await treesOf(reading)).toEqual([]);
    expect(reading.report.failures.kept).toEqual(['the file: nothing in it is a conversation']);
  });

  it('calls onProgress after each conversation with the bytes read', async () => {
    const path = join(temporaryFolder(), 'many.jsonl');
    const line = '{"messages":[{"role":"user","content":"Hi"}]}\n';
    writeFileSync(path, line.repeat(3));
    const progress: object[] = [];
    await treesOf(readConversations(path, { onProgress: (each) => progress.push(each) }));
    expect(progress).toEqual(Array(3).fill({ read: 3 * line.length, of: 3 * line.length }));
  });

  it('throws an UnreadableError for a missing file', async () => {
    const path = join(temporaryFolder(), 'missing.json');
    await expect(treesOf(readConversations(path))).rejects.toThrow(new UnreadableError(`${path} does not exist`));
    await expect(treesOf(readConversations(new Uint8Array(), { name: 'upload' }))).rejects.toThrow('upload is empty');
  });

  it('refuses an unknown format and reads the given one', async () => {
    expect(() => readConversations('x', { format: 'docx' })).toThrow(/^format must be one of chatgpt, .*, not "docx"$/);
    expect(READABLE_FORMATS).toContain('parley');
    const [tree] = await treesOf(readConversations(Buffer.from(LINES), { format: 'lines' }));
    expect(tree?.source).toBe('lines');
  });

  it('deletes its temporary files when reading ends early', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'tmp'));
    vi.stubEnv('TMPDIR', join(folder, 'tmp'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const zip = writeZip({ 'conversations.json': JSON.stringify([conversation(['a'])]) });
    const temporary = () => readdirSync(join(folder, 'tmp'));
    for await (const tree of readConversations(Readable.from([zip]))) {
      expect(tree.nodes).toHaveLength(1);
      expect(temporary()).toHaveLength(1);
      break;
    }
    expect(temporary()).toEqual([]);
    expect(existsSync(join(folder, 'tmp'))).toBe(true);
  });
});
