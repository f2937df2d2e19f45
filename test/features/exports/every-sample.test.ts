/** Every sample in each format: it follows the rules of other programs, and its reading loses only the listed data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConversations, writeConversations, type ConversationTree, type NodeContent } from '@parley/interchange';
import { sampleNames, SAMPLES_FOLDER } from '../imports/readers/sample-graphs.js';
import { libreChatFaults, openWebUiFaults } from './program-files.js';

type Options = Parameters<typeof writeConversations>[2];

const sample = (name: string) => readFileSync(join(SAMPLES_FOLDER, name));

async function written(file: Buffer, format: string, options: Options = {}): Promise<Buffer> {
  let text = '';
  for await (const piece of writeConversations(readConversations(file), format, options)) text += piece;
  return Buffer.from(text);
}

const part = (type: string, member: string) => (content: NodeContent) =>
  content.parts.filter((each) => each.type === type).map((each) => each[member]);

const textOf = (content: NodeContent) => part('text', 'text')(content).join('\n\n');
const isHidden = (content: NodeContent) => content.hidden === true;
const isText = (content: NodeContent) => textOf(content) !== '';

/** Whitespace around folded elements, and LibreChat's marks of citations, are not part of a text. */
const plain = (text: string) =>
  text
    .replace(/[\ue200-\ue206](?:turn\d+[a-z]+\d+)?/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The facts of a message that chat programs keep. */
function shownOf(content: NodeContent): string {
  const images = content.parts
    .filter(
      ({ type, mediaType, url }) =>
        type === 'file' && /^image/.test(String(mediaType)) && /^(data|https?):/.test(String(url)),
    )
    .map(({ url }) => url);
  const calls = content.parts.flatMap(({ type, toolName, data }) => {
    if (type === 'dynamic-tool') return [toolName];
    return type === 'data-tool-call' ? [(data as { toolName: unknown }).toolName] : [];
  });
  return JSON.stringify([plain(textOf(content)), plain(part('reasoning', 'text')(content).join(' ')), calls, images]);
}

const NOTHING = JSON.stringify(['', '', [], []]);

/** Each chat as sorted `message < nearest kept ancestor`. */
async function trees(
  file: Buffer,
  isKept: (content: NodeContent) => boolean,
  factOf: (content: NodeContent) => string,
): Promise<string[][]> {
  const all: string[][] = [];
  for await (const { nodes } of readConversations(file)) {
    const kept = new Map<string, string | undefined>();
    const lines: string[] = [];
    for (const { id, parentId, content } of nodes) {
      const above = parentId === null ? undefined : kept.get(parentId);
      const read = content();
      if (isKept(read)) lines.push(`${factOf(read)} < ${above ?? ''}`);
      kept.set(id, isKept(read) ? factOf(read) : above);
    }
    all.push(lines.sort());
  }
  return all;
}

describe.each(sampleNames())('%s', (name) => {
  const file = sample(name);

  it('keeps texts, roles and hidden flags as ChatGPT and OASST', async () => {
    const said = (content: NodeContent) => JSON.stringify([content.role, textOf(content), isHidden(content)]);
    expect(await trees(await written(file, 'chatgpt'), isText, said)).toEqual(await trees(file, isText, said));
    const isSaid = (content: NodeContent) => isText(content) && !isHidden(content);
    // Each root is a tree.
    const messages = async (from: Buffer) => (await trees(from, isSaid, said)).flat().sort();
    expect(await messages(await written(file, 'oasst'))).toEqual(await messages(file));
  });

  it('follows the rules of Open WebUI, with texts, thoughts, calls and images', async () => {
    const text = await written(file, 'open-webui');
    expect(openWebUiFaults(JSON.parse(text.toString()))).toEqual([]);
    const isKept = (content: NodeContent) => !isHidden(content) && shownOf(content) !== NOTHING;
    expect(await trees(text, isKept, shownOf)).toEqual(await trees(file, isKept, shownOf));
  });

  it('follows the rules of LibreChat, with texts, thoughts, calls and images', async () => {
    const isKept = (content: NodeContent) => !isHidden(content) && shownOf(content) !== NOTHING;
    expect(await trees(await written(file, 'librechat'), isKept, shownOf)).toEqual(await trees(file, isKept, shownOf));
    for await (const tree of readConversations(file)) {
      let text = '';
      for await (const piece of writeConversations([tree], 'librechat', { isAlone: true })) text += piece;
      expect(libreChatFaults(JSON.parse(text))).toEqual([]);
    }
  });

  it('ends each line of chat completions with an answer', async () => {
    const text = await written(file, 'completions', { paths: 'leaves' });
    const roles = text
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { messages: { role: string }[] }).messages.at(-1)?.role);
    expect(roles).toEqual(roles.map(() => 'assistant'));
    for (const secret of await hiddenTexts(file)) expect(text.toString()).not.toContain(JSON.stringify(secret));
  });

  it.each(['markdown', 'html'])('omits hidden messages as %s', async (format) => {
    const text = (await written(file, format, { paths: 'leaves' })).toString();
    for (const secret of await hiddenTexts(file)) expect(text).not.toContain(secret);
  });
});

async function hiddenTexts(file: Buffer): Promise<string[]> {
  const texts: string[] = [];
  const shown: string[] = [];
  for await (const tree of readConversations(file)) {
    for (const content of contentsOf(tree)) (isHidden(content) ? texts : shown).push(textOf(content));
  }
  return texts.filter((text) => text !== '' && !shown.join('\n').includes(text));
}

const contentsOf = ({ nodes }: ConversationTree) => nodes.map((node) => node.content());
