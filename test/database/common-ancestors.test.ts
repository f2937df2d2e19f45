import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlacedMessage } from '../../src/conversation/model.js';
import { writeChain, writeInOneChange } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { runs } from '../support/effort.js';

const SIZE = 200;

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

it('the common ancestor of two messages is the last message of both paths, in any graph', async () => {
  const number = fc.nat(SIZE - 1);
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(), { minLength: SIZE, maxLength: SIZE }),
      fc.array(fc.tuple(number, number), { minLength: 50 }),
      async (choices, pairs) => {
        const chatId = `random-${chats++}`;
        // Mostly chains, so that paths are deep; -1 is a further root.
        const parentOf = choices.map((choice, n) => (choice % 16 > 0 ? n - 1 : (choice % (n + 1)) - 1));
        const saved: PlacedMessage[] = [];
        await writeInOneChange(database.store, chatId, async (place, change, main) => {
          for (const [n, parent] of parentOf.entries()) {
            saved.push(await place(saved[parent] ?? null, `${chatId}-${n}`));
          }
          change.append(main, saved);
        });
        const pathTo = (n: number): number[] => (n < 0 ? [] : [...pathTo(parentOf[n]!), n]);
        const expected = pairs.map(([base, head]) => {
          const onBoth = new Set(pathTo(base));
          return saved[pathTo(head).findLast((n) => onBoth.has(n)) ?? -1]?.id ?? null;
        });
        const keys = pairs.map(([base, head]) => ({ chatId, baseId: saved[base]!.id, headId: saved[head]!.id }));
        const found = await database.reads.commonAncestors(keys);
        expect(found.map((message) => message?.id ?? null)).toEqual(expected);
      },
    ),
    { numRuns: runs(40) },
  );
});

it('messages of another chat have none', async () => {
  await writeChain(database.store, 'one', 1);
  await writeChain(database.store, 'two', 1);
  const keys = [
    { chatId: 'one', baseId: 'one-0', headId: 'two-0' },
    { chatId: 'two', baseId: 'one-0', headId: 'one-0' },
    { chatId: 'two', baseId: 'two-0', headId: 'two-0' },
  ];
  const found = await database.reads.commonAncestors(keys);
  expect(found.map((message) => message?.id ?? null)).toEqual([null, null, 'two-0']);
});
