/** The imported graph of each sample. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { READERS } from '@parley/interchange/server';
import { databaseForAll } from '../../../support/database/database-scope.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats } from '../imported-chats.js';
import { sampleNames, SAMPLES_FOLDER } from './sample-graphs.js';

const database = databaseForAll();

const read = (name: string) => readFile(join(SAMPLES_FOLDER, name));

describe('the sample', () => {
  it.each(sampleNames())('%s becomes its graph, and nothing new when it is imported again', async (name) => {
    const content = await read(name);
    const report = await importContent(database, content, name);
    expect(report.failures.kept).toEqual([]);
    const chats = Object.values(await importedChats(database)).filter((chat) => chat.userId === name);
    const graphs = Object.fromEntries(
      chats.map((chat) => [String(chat.metadata.import['conversationId']), chatLines(chat)]),
    );
    expect({ formats: [...report.formats.keys()], warnings: report.warnings.kept, graphs }).toMatchSnapshot();

    const rows = await database.allRows();
    const again = await importContent(database, content, name);
    expect([again.conversations.imported, again.conversations.updated]).toEqual([0, 0]);
    expect(await database.allRows()).toEqual(rows);
  });

  it('of each format is there', async () => {
    const formats = new Set<string>();
    for (const name of sampleNames()) {
      const report = await importContent(database, await read(name), 'somebody');
      for (const format of report.formats.keys()) formats.add(format);
    }
    expect([...formats].sort()).toEqual(READERS.map(({ label }) => label).sort());
  });
});
