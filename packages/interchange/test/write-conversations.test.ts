import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { readConversations, WRITABLE_FORMATS, writeConversations, type WritableTree } from '@parley/interchange';
import { conversation, message, nodeOf } from '../../../test/features/imports/readers/chatgpt-export.js';
import { sampleNames, SAMPLES_FOLDER } from '../../../test/features/imports/readers/sample-graphs.js';
import { temporaryFile } from '../../../test/support/temporary-folder.js';

const FORKED = conversation(['a', 'b < a', 'c < a', 'd < c'], { current_node: 'b' });
for (const id of ['b', 'd']) nodeOf(FORKED, id).message = message(id, { author: { role: 'assistant' } });
const EXPORT = Buffer.from(JSON.stringify([FORKED]));

async function written(...args: Parameters<typeof writeConversations>): Promise<string> {
  let text = '';
  for await (const piece of writeConversations(...args)) text += piece;
  return text;
}

interface Graph {
  tree: string[];
  active: unknown;
}

/** `text of b < text of a` for each message, and the text of the active one. */
async function graphsOf(file: Buffer): Promise<Graph[]> {
  const graphs: Graph[] = [];
  const reading = readConversations(file);
  for await (const { nodes, activeNode } of reading) {
    const texts = new Map(nodes.map((node) => [node.id, node.content().parts[0]?.['text']]));
    const tree = nodes.map(({ id, parentId }) => `${String(texts.get(id))} < ${String(texts.get(parentId ?? ''))}`);
    graphs.push({ tree, active: texts.get(activeNode ?? '') });
  }
  expect(reading.report.failures.kept).toEqual([]);
  return graphs;
}

describe('writeConversations', () => {
  const trees = ['parley', 'chatgpt', 'open-webui', 'librechat', 'oasst'];

  it.each(trees)('writes %s, which is read as the same tree', async (format) => {
    const text = await written(readConversations(EXPORT), format);
    const [graph] = await graphsOf(Buffer.from(text));
    const [source] = await graphsOf(EXPORT);
    expect(graph?.tree).toEqual(source?.tree);
    // The other two formats do not contain the active message.
    if (!['librechat', 'oasst'].includes(format)) expect(graph?.active).toBe('text of b');
  });

  it.each([
    ['active', ['text of a', 'text of b']],
    ['leaves', ['text of a', 'text of b', 'text of a', 'text of c', 'text of d']],
  ] as const)('writes the %s paths of a format without forks', async (paths, texts) => {
    const text = await written(readConversations(EXPORT), 'markdown', { paths });
    expect(text.match(/^text of .$/gm)).toEqual(texts);
    const lines = (await written(readConversations(EXPORT), 'completions', { paths })).trim().split('\n');
    const said = lines.flatMap((line) => (JSON.parse(line) as { messages: { content: string }[] }).messages);
    expect(said.map(({ content }) => content)).toEqual(texts);
  });

  it.each(sampleNames())('keeps all messages of %s in the format of Parley', async (name) => {
    const file = readFileSync(join(SAMPLES_FOLDER, name));
    const text = await written(readConversations(file), 'parley');
    expect(await graphsOf(Buffer.from(text))).toEqual(await graphsOf(file));
  });

  it('writes the frame around and between the trees', async () => {
    const path = temporaryFile();
    const two = JSON.stringify([conversation(['a']), conversation(['b'], { conversation_id: 'c2' })]);
    await pipeline(writeConversations(readConversations(Buffer.from(two)), 'chatgpt'), createWriteStream(path));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(2);
  });

  it('writes a bare conversation of LibreChat on request', async () => {
    const text = await written(readConversations(EXPORT), 'librechat', { isAlone: true });
    expect(JSON.parse(text)).toMatchObject({ title: 'A talk', messages: { length: 4 } });
  });

  it('writes your own trees', async () => {
    const content = () =>
      ({ role: 'assistant', parts: [{ type: 'text', text: 'Hi' }], original: {}, fingerprinted: 'Hi' }) as const;
    const tree: WritableTree = {
      source: 'mine',
      conversationId: '1',
      title: 'Mine',
      createdAt: 0,
      updatedAt: null,
      nodes: [{ id: 'a', parentId: null, createdAt: null, content }],
      activeNode: 'a',
    };
    expect(await written([tree, tree], 'completions')).toBe(
      '{"messages":[{"role":"assistant","content":"Hi"}]}\n'.repeat(2),
    );
  });

  it('replaces a message that is too large by a placeholder', async () => {
    const large = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(2 ** 21) }] });
    const text = await written(readConversations(Buffer.from(large)), 'markdown');
    expect(text).toMatch(/\[Left out when this conversation was imported: a message must have at most 1048576 bytes/);
  });

  it('refuses unknown formats and paths', async () => {
    expect(() => writeConversations([], 'docx')).toThrow(/^format must be one of parley, .*, not "docx"$/);
    expect(() => writeConversations([], 'html', { paths: 'all' as 'leaves' })).toThrow(/^paths must be/);
    expect(WRITABLE_FORMATS).toHaveLength(8);
    expect(await written([], 'chatgpt')).toBe('[\n\n]\n');
  });
});
