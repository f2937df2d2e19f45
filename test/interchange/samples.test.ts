/** What each of the samples becomes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READERS } from '../../src/interchange/readers/all-readers.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';
import { importContent, importedChats, type ImportedChat } from './imported-chats.js';
import { sampleNames, SAMPLES_FOLDER } from './sample-graphs.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

const read = (name: string) => readFile(join(SAMPLES_FOLDER, name));

/** A message in a line: where it stands, who says it, and each of its parts. */
function lines(chat: ImportedChat): string[] {
  const heads = Object.entries(chat.branches).map(([name, node]) => `${name}: ${node}`);
  const messages = chat.messages.map(({ node, parent, name, data }) => {
    return `${node} < ${parent ?? '-'} ${name}: ${data.parts.map((part) => partLine(part)).join(' | ')}`;
  });
  return [`${chat.title}; ${heads.join(', ')}`, ...messages];
}

function partLine(part: Record<string, unknown>): string {
  switch (part['type']) {
    case 'text':
      return JSON.stringify(part['text']);
    case 'reasoning':
      return `thinks ${JSON.stringify(part['text'])}`;
    case 'dynamic-tool':
      return `${String(part['toolName'])}(${JSON.stringify(part['input'])}) = ${JSON.stringify(part['output'] ?? { error: part['errorText'] })}`;
    case 'file':
      return `file ${String(part['mediaType'])} ${String(part['url']).slice(0, 60)}`;
    case 'source-url':
      return `source ${String(part['url'])}`;
    default:
      return `${String(part['type'])} ${JSON.stringify(part['data'])}`;
  }
}

describe('the sample', () => {
  it.each(sampleNames())('%s becomes its graph, and nothing new when it is imported again', async (name) => {
    const content = await read(name);
    const report = await importContent(database, content, name);
    expect(report.failures.kept).toEqual([]);
    const chats = Object.values(await importedChats(database)).filter((chat) => chat.userId === name);
    const graphs = Object.fromEntries(
      chats.map((chat) => [String(chat.metadata.import['conversationId']), lines(chat)]),
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
