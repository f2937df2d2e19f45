/** Values of imported chats. */
import { expect } from 'vitest';
import type { TemporaryDatabase } from '../../../../support/database/temporary-database.js';
import { importContent, importedChats } from '../../imported-chats.js';
import { chatLines } from '../chat-lines.js';

export const at = (second: number) => `2026-04-24T07:27:${String(second).padStart(2, '0')}Z`;

/** The lines of each chat after its title, when everything was read without a fault. */
export async function importLines(database: TemporaryDatabase, content: unknown): Promise<string[][]> {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  const chats = Object.values(await importedChats(database));
  return chats.map(chatLines).sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));
}
