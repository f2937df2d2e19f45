/** Readers with mutated values: the result is a conversation or a sentence, and each loss is reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conversationsIn,
  findValues,
  type ReadConversation,
  type Reader,
  readerNamed,
  UnreadableError,
} from '@parley/interchange/server';
import { messageValues } from '../../../../src/features/imports/conversations/imported-message.js';
import { runs } from '../../../support/effort.js';
import { databaseForAll } from '../../../support/database/database-scope.js';
import { importContent } from '../imported-chats.js';
import { sampleNames, SAMPLES_FOLDER } from './sample-graphs.js';

const bytesOf = (name: string) => readFileSync(join(SAMPLES_FOLDER, name));

async function read(bytes: Buffer, format: Reader | null = null): Promise<ReadConversation[]> {
  async function* chunks() {
    yield bytes;
  }
  const all: ReadConversation[] = [];
  for await (const each of conversationsIn(findValues(chunks()), format)) {
    if ('conversation' in each) checkNodes(each);
    all.push(each);
  }
  return all;
}

/** Requirements of an import for a conversation. */
function checkNodes({ conversation }: Extract<ReadConversation, { conversation: unknown }>): void {
  const seen = new Set<string>();
  expect(conversation.conversationId).not.toBe('');
  for (const { id, parentId, content } of conversation.nodes) {
    expect(parentId === null || seen.has(parentId)).toBe(true);
    expect(seen.has(id)).toBe(false);
    seen.add(id);
    const { data, leftOut } = messageValues('m', id, content(), conversation.source);
    expect(leftOut === 'message' ? data : null).toBeNull();
    const { role, parts } = JSON.parse(data) as { role: string; parts: { type: unknown }[] };
    expect(['user', 'assistant', 'system']).toContain(role);
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) expect(typeof part.type).toBe('string');
  }
  const { activeNode } = conversation;
  expect(activeNode === null ? seen.size === 0 : seen.has(activeNode)).toBe(true);
}

/** The values of a sample: the elements of its list, its lines, or itself. */
function valuesOf(name: string): unknown[] {
  const text = bytesOf(name).toString();
  if (name.endsWith('.jsonl'))
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const value = JSON.parse(text) as unknown;
  if (Array.isArray(value)) return value;
  const { conversations } = value as { conversations?: unknown[] };
  return conversations ?? [value];
}

const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] => {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]))];
};

/** The value with a replacement at a place; undefined removes the member. */
function mutated(value: unknown, path: readonly (string | number)[], instead: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return instead;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  const next = mutated(copy[key], rest, instead);
  if (next === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = next;
  return copy;
}

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    0,
    -1,
    1e300,
    true,
    [],
    {},
    [[]],
    [null],
    [{}],
    { type: 'text' },
    'x',
    'm1',
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>({ __proto__: null, constructor: 1 }, ['text', 1], { text: { value: 3 } }, { $date: {} }),
);

describe.each(sampleNames())('of %s', (name) => {
  it('a mutated value becomes a conversation or a sentence', async () => {
    const values = valuesOf(name);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(), strange, strange, async (n, one, two, first, second) => {
        const at = n % values.length;
        let value = values[at];
        for (const [place, instead] of [
          [one, first],
          [two, second],
        ] as const) {
          const all = places(value);
          value = mutated(value, all[place % all.length] ?? [], instead);
        }
        const changed = values.map((each, k) => (k === at ? (value ?? null) : each));
        const results = await read(Buffer.from(JSON.stringify(changed)));
        const faults = results.flatMap((each) => ('fault' in each ? [each.fault] : []));
        for (const fault of faults) expect(fault).not.toMatch(/TypeError|undefined|\[object|\bat \/|\n/);
        // Each value is a conversation, a sentence, or one of the lines of a conversation.
        if (!name.endsWith('.jsonl') && name !== 'langgraph.json')
          expect(results.length).toBeGreaterThanOrEqual(values.length);
        else expect(results.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(200) },
    );
  });

  it('a truncated file with a replaced byte is read up to the fault', async () => {
    const bytes = bytesOf(name);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.nat(bytes.length - 1),
        fc.integer({ min: 0, max: 255 }),
        async (end, at, byte) => {
          const cut = Buffer.from(bytes.subarray(0, end + 1));
          if (at <= end) cut[at] = byte;
          try {
            expect((await read(cut)).length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableError);
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('a value that two formats claim', () => {
  const database = databaseForAll();
  const [claude] = valuesOf('claude.json') as [object];
  const [grok] = valuesOf('grok.json') as [object];
  const both = JSON.stringify([{ ...claude, ...grok }]);

  it('is refused with both names', async () => {
    const report = await importContent(database, both);
    expect(report.failures.kept).toEqual([
      'conversation 1 ("Soup"): it may have several formats: Claude and Grok; select one with --format claude or --format grok',
    ]);
  });

  it('is read as the given format', async () => {
    for (const format of ['claude', 'grok']) {
      const [result] = await read(Buffer.from(both), readerNamed(format) ?? null);
      expect(result?.reader?.name).toBe(format);
    }
  });
});
