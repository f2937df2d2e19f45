/** Passes every path of every imported sample to the AI SDK, versions 5 and 6, unchanged. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v6 from 'ai';
import * as v5 from 'ai-v5';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importContent, importedChats, type ImportedChat } from '../../features/imports/imported-chats.js';
import { sampleNames, SAMPLES_FOLDER } from '../../features/imports/readers/sample-graphs.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
const chats: ImportedChat[] = [];
beforeAll(async () => {
  database = await temporaryDatabase();
  for (const name of sampleNames()) await importContent(database, await readFile(join(SAMPLES_FOLDER, name)), name);
  chats.push(...Object.values(await importedChats(database)));
});
afterAll(() => database.remove());

/** The messages from the root to each leaf. */
function paths(chat: ImportedChat): unknown[][] {
  const byId = new Map(chat.messages.map((each) => [each.id, each]));
  const parents = new Set(chat.messages.map(({ parentId }) => parentId));
  return chat.messages
    .filter(({ id }) => !parents.has(id))
    .map((leaf) => {
      const path: unknown[] = [];
      for (let at: typeof leaf | undefined = leaf; at !== undefined; at = byId.get(at.parentId ?? ''))
        path.unshift(at.data);
      return path;
    });
}

test.each([
  [
    '6',
    async (messages: unknown[]) => {
      const model = await v6.convertToModelMessages(await v6.validateUIMessages({ messages }));
      expect(v6.modelMessageSchema.array().parse(model)).toEqual(model);
    },
  ],
  [
    '5',
    async (messages: unknown[]) => {
      const model = v5.convertToModelMessages(await v5.validateUIMessages({ messages }));
      expect(v5.modelMessageSchema.array().parse(model)).toEqual(model);
    },
  ],
])('version %s of the AI SDK accepts every path of every imported sample', async (_, convert) => {
  expect(chats.length).toBeGreaterThan(3);
  for (const chat of chats) for (const path of paths(chat)) await convert(path);
});
