/** Format detection: one reader claims each sample, and none claims values without readable content. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { findValues, READERS } from '@parley/interchange/server';
import { writeZip } from '../zips/write-zip.js';
import { sampleNames, SAMPLES_FOLDER } from './sample-graphs.js';

const claiming = (value: unknown) =>
  READERS.filter((reader) => reader.claims(value as Record<string, unknown>)).map(({ name }) => name);

/** A state of LangGraph is an array, which becomes an object before readers see it. */
const names = sampleNames().filter((name) => name !== 'langgraph.json');

describe('one reader', () => {
  it.each(names)('claims the first value of %s, and at most one reader each of the others', async (name) => {
    let first: string[] | null = null;
    for await (const found of findValues(createReadStream(join(SAMPLES_FOLDER, name)))) {
      if (!('value' in found)) throw new Error(found.fault);
      const claims = claiming(found.value);
      first ??= claims;
      expect(claims.length).toBeLessThanOrEqual(1);
    }
    expect(first).toHaveLength(1);
  });
});

describe('no reader', () => {
  it.each([
    ['messages without content', { messages: [{ role: 'user', foo: 1 }] }],
    ['messages with fragments of an unknown program', { messages: [{ role: 'user', fragments: [{ ft: 'x' }] }] }],
    ['messages with an empty list of another name', { messages: [{ role: 'user', content_blocks: ['Hi'] }] }],
  ])('claims %s', async (_, value) => {
    expect(claiming(value)).toEqual([]);
    const reading = readConversations(Buffer.from(JSON.stringify(value)));
    for await (const tree of reading) throw new Error(`${tree.place} was read`);
    expect(reading.report.failures.total).toBe(1);
  });
});

it('a conversation whose messages are all empty gives a warning', async () => {
  const file = Buffer.from(
    JSON.stringify({
      messages: [
        { role: 'user', content: '' },
        { role: 'assistant', content: [] },
      ],
    }),
  );
  const reading = readConversations(file);
  for await (const { nodes } of reading) expect(nodes).toHaveLength(2);
  expect(reading.report.warnings.kept).toEqual(['line 1: none of its 2 messages has content']);
});

it('messages of Mistral have the files of their folder in the zip', async () => {
  const [answer, question] = readFileSync(join(SAMPLES_FOLDER, 'mistral.jsonl'), 'utf8').trim().split('\n');
  const zip = { 'chat-8f0c.json': `[${answer},${question}]`, 'chat-8f0c-files/notes.txt': 'Brood: 16 days.' };
  const texts: unknown[] = [];
  for await (const { nodes } of readConversations(writeZip(zip))) {
    for (const node of nodes) texts.push(node.content().parts.find(({ type }) => type === 'file')?.['url'] ?? node.id);
  }
  expect(texts).toEqual([`data:text/plain;base64,${Buffer.from('Brood: 16 days.').toString('base64')}`, 'm2']);
});

describe('times of the file', () => {
  it.each([
    ['big-agi-1.json', ['2023-12-31T05:20:00.000Z', '2023-12-31T05:21:00.000Z']],
    ['completions-linked.json', ['2025-03-01T10:00:00.000Z', '2025-03-01T10:00:05.000Z', '2025-03-01T10:01:05.000Z']],
    ['goose.json', ['2025-07-01T10:00:00.000Z', '2025-07-01T10:00:05.000Z']],
    ['cline.jsonl', ['2025-07-08T18:40:00.000Z', '2025-07-08T18:40:05.000Z', '2025-07-08T18:40:06.000Z']],
    ['anything-llm.jsonl', ['2025-06-01T09:00:00.000Z', '2025-06-01T09:00:00.000Z', '2025-06-01T09:01:00.000Z']],
    ['llm-logs.jsonl', ['2025-05-01T06:00:00.000Z', '2025-05-01T06:00:00.000Z', '2025-05-01T06:00:00.000Z']],
  ])('of %s are those of its messages', async (name, times) => {
    for await (const { nodes } of readConversations(join(SAMPLES_FOLDER, name))) {
      const found = nodes.map(({ createdAt }) => createdAt && new Date(createdAt).toISOString());
      expect(found.slice(0, times.length)).toEqual(times);
      return;
    }
  });
});
