/** A path is the same whether it is read as runs of messages or from parent to parent. */
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Message } from '../../src/conversation/model.js';
import { runs } from '../support/effort.js';
import { writeInOneChange } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => void (database = await temporaryDatabase()));
afterAll(() => database.remove());

let chats = 0;

/** @param parents distance from each message's predecessor to its parent */
async function write(parents: readonly number[]): Promise<{ chatId: string; messages: Message[] }> {
  const chatId = `runs-${chats++}`;
  const messages: Message[] = [];
  await writeInOneChange(database.store, chatId, async (place, change) => {
    for (const [n, back] of parents.entries()) {
      messages.push(await place(n === 0 ? null : messages[Math.max(0, n - 1 - back)]!, `${chatId}-${n}`));
    }
    for (const message of messages) change.messages.push(message as (typeof change.messages)[number]);
  });
  return { chatId, messages };
}

/** The last `length` ids of a path, by the parents alone. */
function pathTo(messages: readonly Message[], end: Message, length: number): string[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const ids: string[] = [];
  for (let at: Message | undefined = end; at !== undefined && ids.length < length; at = byId.get(at.parentId ?? '')) {
    ids.unshift(at.id);
  }
  return ids;
}

const columns = (['id', 'data'] as const).map((column) => ({ key: column, value: { column } }));

/** The ids of a path as read with all columns, and as read with some; the latter null if it must be read with all. */
async function pathsRead(chatId: string, { id, depth }: Message, length: number) {
  const end = { chatId, messageId: id, length: Math.min(length, depth + 1) };
  const [chain = []] = await database.reads.chains([end]);
  const list = await database.reads.chainJson(end, columns);
  if (list === null) return { whole: chain.map((message) => message.id), some: null };
  const rows = Array.isArray(list) ? (list as { id: string }[]) : (JSON.parse(textOf(list)) as { id: string }[]);
  return { whole: chain.map((message) => message.id), some: rows.map((row) => row.id) };
}

function textOf(list: object): string {
  const { bytes, release } = list as { bytes: Uint8Array; release(): void };
  const text = `[${new TextDecoder().decode(bytes)}]`;
  release();
  return text;
}

const graph = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) }), {
  minLength: 1,
  maxLength: 40,
});

it('to any message of any graph, of any length', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.nat(39), fc.integer({ min: 1, max: 41 }), async (parents, at, length) => {
      const { chatId, messages } = await write(parents);
      const end = messages[at % messages.length]!;
      const expected = pathTo(messages, end, length);
      expect(await pathsRead(chatId, end, length)).toEqual({ whole: expected, some: expected });
    }),
    { numRuns: runs(100) },
  );
});

it('where the rows of runs are missing or wrong', async () => {
  const { chatId, messages } = await write([0, 0, 1, 0, 3, 0, 0, 2]);
  const damages = [
    sql`DELETE FROM message_runs WHERE "chatId" = ${chatId} AND "seq" = 5`,
    sql`INSERT INTO message_runs ("chatId", "seq", "parentSeq") VALUES (${chatId}, 4, 1)`,
    sql`DELETE FROM message_runs WHERE "chatId" = ${chatId}`,
  ];
  for (const damage of damages) {
    await database.connection.write(chatId, (tx) => tx.run(damage));
    for (const end of messages) {
      const { whole, some } = await pathsRead(chatId, end, 40);
      const expected = pathTo(messages, end, 40);
      expect(whole).toEqual(expected);
      expect(some ?? expected).toEqual(expected);
    }
  }
});
