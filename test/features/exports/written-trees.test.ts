/** Trees that `@parley/interchange` writes in Parley's own format are the chats that an import of their file makes. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { readConversations, writeConversations } from '@parley/interchange';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { messageText as storedText } from '../../../src/conversation/text/message-text.js';
import { messageText as writtenText } from '../../../packages/interchange/src/writers/portable-message.js';
import { runs } from '../../support/effort.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { contentOf } from '../../cli/database-content.js';
import { conversation } from '../imports/readers/chatgpt-export.js';
import { sampleNames, SAMPLES_FOLDER } from '../imports/readers/sample-graphs.js';
import { importTo } from './run-export.js';

/** All but metadata and the times of the chats' history. */
async function chatsIn(url: string) {
  const { chats, messages, branches, events } = await contentOf(url);
  const without = (rows: readonly object[], ...names: string[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
  const heads = new Map(branches.map(({ id, name }) => [id, name]));
  const named = (text: string) => [...heads].reduce((all, [id, name]) => all.replaceAll(id, name), text);
  return {
    chats: without(chats, 'metadata'),
    messages,
    branches: without(branches, 'id', 'createdAt').sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
    events: events.map(({ payload, ...event }) => ({ ...without([event], 'createdAt')[0], payload: named(payload) })),
  };
}

function placeOf({ chatId, seq }: Record<string, unknown>): string {
  return `${String(chatId)} ${String(seq).padStart(9)}`;
}

async function expectSameChats(path: string): Promise<void> {
  const written = `${temporaryFile()}.jsonl`;
  await pipeline(writeConversations(readConversations(path), 'parley'), createWriteStream(written));
  const [direct, through] = [`file:${temporaryFile()}`, `file:${temporaryFile()}`];
  expect(await importTo(direct, path)).toMatchObject({ code: 0 });
  expect(await importTo(through, written)).toMatchObject({ code: 0, error: [] });
  await expectSoundDatabase(through);
  expect(await chatsIn(through)).toEqual(await chatsIn(direct));
}

// Chats without times have the time of the import.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
afterAll(() => void vi.useRealTimers());

it.each(sampleNames())('%s', (name) => expectSameChats(join(SAMPLES_FOLDER, name)));

it('a tree whose active message has replies has the same chats', async () => {
  const path = temporaryFile();
  const nodes = ['a', 'b < a', 'c < b', 'd < b', 'e < a', 'f'];
  writeFileSync(path, JSON.stringify([conversation(nodes, { current_node: 'b' })]));
  await expectSameChats(path);
});

it('a written tree has the texts that the server stores', () => {
  const part = fc.record({ type: fc.constantFrom('text', 'file'), text: fc.oneof(fc.string(), fc.integer()) });
  const list = fc.oneof(fc.array(fc.oneof(part, fc.jsonValue())), fc.string());
  const data = fc.oneof(fc.jsonValue(), fc.record({ parts: list }), fc.record({ content: list }));
  fc.assert(
    fc.property(data, (value) => {
      expect(writtenText(value)).toBe(storedText(value));
    }),
    { numRuns: runs(5000) },
  );
});
