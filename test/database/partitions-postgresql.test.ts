import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresql } from '../../src/database/dialects/postgresql/postgresql.js';
import {
  partitionedDatabase,
  touchedPartitions,
  type PartitionedDatabase,
} from '../support/database/partitions/partitioned-schema.js';

let database: PartitionedDatabase;
beforeAll(async () => {
  database = await partitionedDatabase();
});
afterAll(() => database.remove());

async function definitions(text: string): Promise<string[]> {
  const { rows } = await database.client.query<{ definition: string }>(text);
  return rows.map(({ definition }) => definition);
}

describe('the distributed form', () => {
  it('has the chat in each unique key of a partitioned table', async () => {
    const keys = await definitions(`
      SELECT pg_get_indexdef(x.indexrelid) AS definition FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
      WHERE x.indisunique AND t.relkind = 'p' AND t.relnamespace = current_schema()::regnamespace ORDER BY 1`);
    const ofTable = (table: string) =>
      keys.flatMap((key) => (key.includes(`.${table} `) ? [/btree (.*)$/.exec(key)?.[1]] : []));
    expect(ofTable('chats')).toEqual(['(id)']);
    expect(ofTable('branches').sort()).toEqual([
      '("chatId") WHERE "isActive"',
      '("chatId", name)',
      '("chatId", seq)',
      '(id, "chatId")',
    ]);
    expect(ofTable('message_texts').sort()).toEqual(['("messageId", "chatId")', '(id, "chatId")']);
    expect(keys.filter((key) => !/chats |"chatId"/.test(key))).toEqual([]);
  });

  it('keeps the foreign keys within chats, without updates that would move rows', async () => {
    const references = await definitions(`
      SELECT t.relname || ' ' || pg_get_constraintdef(c.oid) AS definition
      FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
      WHERE c.contype = 'f' AND c.conparentid = 0 AND t.relkind = 'p'
        AND t.relnamespace = current_schema()::regnamespace ORDER BY 1`);
    expect(references).toContain(
      'message_sources FOREIGN KEY ("chatId", "sourceSeq") REFERENCES messages("chatId", seq) DEFERRABLE INITIALLY DEFERRED',
    );
    expect(references).toContain('chat_events FOREIGN KEY ("chatId") REFERENCES chats(id) ON DELETE CASCADE');
    expect(references).toContain('message_files FOREIGN KEY ("fileId") REFERENCES files(id)');
    expect(references.filter((reference) => reference.includes('ON UPDATE'))).toEqual([]);
  });

  it('counts the partitions of a statement', async () => {
    const one = await touchedPartitions(database.client, postgresql.deleteChat('c'));
    expect(one.size).toBe(1);
    expect(await touchedPartitions(database.client, postgresql.countRows('messages', 'c'))).toEqual(one);
    expect((await touchedPartitions(database.client, postgresql.branchesById(['b']))).size).toBe(8);
  });
});
