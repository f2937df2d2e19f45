/** Texts of imported messages. */
import { expect } from 'vitest';
import type { TemporaryDatabase } from '../../../../support/database/temporary-database.js';
import { importContent, importedChats } from '../../imported-chats.js';
import { chatLines } from '../chat-lines.js';

/** A message and its expected import. */
export type Case = [what: string, given: object, becomes: string];

/** The chats of a file as lines, in order. */
export async function importLines(database: TemporaryDatabase, content: unknown): Promise<string[]> {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  return Object.values(await importedChats(database)).flatMap(chatLines);
}
