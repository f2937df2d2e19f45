/** The text of all tables, for searches of values that must not be stored. */
import { rawDatabase } from './raw-database.js';

/** Every value of each table as text, those of the full-text index included. */
export async function storedText(url: string): Promise<Map<string, string>> {
  const database = await rawDatabase(url);
  const texts = new Map<string, string>();
  for (const table of await database.tables()) {
    texts.set(table, JSON.stringify(await database.rows(`SELECT * FROM ${table}`), asText));
  }
  return texts;
}

function asText(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isBytes ? Buffer.from(value as unknown as Uint8Array).toString('latin1') : value;
}
