import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from 'sql-template-tag';
import { withHooks } from '../../../src/database/change-hooks.js';
import { guardsOf } from '../../../src/features/all-guards.js';
import { postgresqlInShards } from '../../../src/features/distribution/in-shards.js';
import { TABLES_OF_FORM } from '../../../src/features/distribution/distributed-form.js';
import { connect } from '../../../src/database/opening/open.js';
import { createListReads, createLogReads } from '../../../src/database/reading/log-reads.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { copyStatements } from '../../../src/features/copies/statements.js';
import {
  acrossChatsOfFeatures,
  keyedStatements,
  type KeyedStatement,
} from '../../support/database/keyed-statements.js';
import { CHAT_ID, CHAT_OPERATIONS } from './chat-operations.js';
import { recordedConnection } from './recorded-connection.js';
import { partitionedDatabase, touchedPartitions, type PartitionedDatabase } from './partitioned-schema.js';

const postgresql = postgresqlInShards({ isComplete: true });

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
    const ofChats = keys.filter((key) => !TABLES_OF_FORM.some(({ name }) => key.includes(`.${name} `)));
    expect(ofChats.filter((key) => !/chats |"chatId"/.test(key))).toEqual([]);
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
    expect(
      await touchedPartitions(database.client, copyStatements(postgresql.differences).countRows('messages', 'c')),
    ).toEqual(one);
    expect((await touchedPartitions(database.client, postgresql.branchesById(['b']))).size).toBe(8);
  });
});

/** Statements that touch several partitions, with the reason. Each other statement of the dialect touches one. */
const ACROSS_CHATS: Partial<Record<string, string>> = {
  ...named('finds the chats of ids that clients give', [
    'chatsOfRows',
    'messagesById',
    'branchesById',
    'checkpointsById',
    'placesById',
  ]),
  ...named('reads or changes the chats of a user', ['sharedChats', 'titleCandidates']),
  ...named('searches several chats in its other forms', ['candidates', 'hits']),
  ...named('sweeps all chats', ['changedSince', 'remains', 'outdatedTitles']),
  ...named('maintains messages of all chats', ['clearPreviews', 'digestSizes', 'digestRows', 'digestSources']),
  ...acrossChatsOfFeatures,
  ...named('is called here with several chats', ['logStates']),
};

function named(reason: string, names: readonly KeyedStatement[]): Partial<Record<KeyedStatement, string>> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const statements = Object.entries(keyedStatements(postgresql)) as [KeyedStatement, Sql[]][];

/** The numbers of partitions that statements touch. */
async function numbersOf(forms: readonly Sql[]): Promise<number[]> {
  const numbers = [];
  for (const form of forms) numbers.push((await touchedPartitions(database.client, form)).size);
  return numbers;
}

describe('a statement of the dialect', () => {
  it.each(statements.filter(([name]) => ACROSS_CHATS[name] === undefined))(
    '%s touches one partition',
    async (_, forms) => {
      for (const number of await numbersOf(forms)) expect(number).toBeLessThanOrEqual(1);
    },
  );

  it.each(Object.entries(ACROSS_CHATS))('%s touches several partitions: it %s', async (name) => {
    const forms = statements.flatMap(([each, forms]) => (each === name ? forms : []));
    expect(Math.max(...(await numbersOf(forms)))).toBeGreaterThan(1);
  });
});

/** The statements of these operations that touch several partitions: they find the chats of ids that clients chose. */
const FINDS_CHATS: readonly string[] = ['placesById', 'chatOfDraft'];
const nameOf = new Map(statements.flatMap(([name, forms]) => forms.map(({ text }) => [text, name])));

describe('an operation on a chat touches its partition alone', () => {
  const sent = new Map<string, Sql[]>();
  beforeAll(async () => {
    const { connection } = await connect(database.url, { migrate: false });
    for (const [name, run] of Object.entries(CHAT_OPERATIONS)) {
      const statements: Sql[] = [];
      const recorded = recordedConnection(connection, (statement) => statements.push(statement));
      await run({
        store: new DatabaseStore(recorded),
        reads: createReads(withHooks(recorded, guardsOf(recorded))),
        log: createLogReads(recorded),
        list: createListReads(recorded),
      });
      sent.set(name, statements);
    }
    await connection.close();
  });

  it.each(Object.keys(CHAT_OPERATIONS))('%s', async (name) => {
    const own = await touchedPartitions(database.client, postgresql.deleteChat(CHAT_ID));
    const others: string[] = [];
    for (const statement of sent.get(name) ?? []) {
      const touched = await touchedPartitions(database.client, statement);
      if ([...touched].some((partition) => !own.has(partition)))
        others.push(nameOf.get(statement.text) ?? statement.text);
    }
    expect(sent.get(name)).not.toEqual([]);
    expect(others.filter((each) => !FINDS_CHATS.some((finding) => finding === each))).toEqual([]);
  });
});
