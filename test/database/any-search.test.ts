/** Every database finds what src/search says of the texts themselves, in the order that hit-order.ts describes. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChat } from '../../src/conversation/chats.js';
import { saveMessages } from '../../src/conversation/save.js';
import type { HitPosition, HitSlice, Search } from '../../src/conversation/reads.js';
import { matches, parseQuery, type SearchQuery } from '../../src/search/query.js';
import { indexedTerms } from '../../src/search/terms.js';
import { runs } from '../support/database-kind.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';
import { anyText } from '../unit/search/any-text.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

// Few words in many places, so that what is asked for is also there.
const WORDS = ['run', 'Running', 'runner', 'cafe', 'Café', 'a', 'the', '北京', '京', '北京大学', '大', 'x1', "it's"];
const someText = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const text = fc
  .oneof({ weight: 3, arbitrary: someText }, { weight: 1, arbitrary: anyText })
  // What may be saved.
  .map((each) => each.toWellFormed().replaceAll('\0', ''));

const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WORDS) }, { weight: 1, arbitrary: anyText });
const part = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: word.map((each) => `-${each}`) },
  { weight: 2, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => `-"${words.join(' ')}"`) },
  { weight: 2, arbitrary: word.map((each) => `${each.slice(0, 2)}*`) },
  { weight: 1, arbitrary: word.map((each) => `-${each.slice(0, 3)}*`) },
);
const query = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));

const VIEWERS = ['ann', 'bob'].map((userId) => ({ userId, isAdmin: false }));

interface Written {
  id: string;
  userId: string;
  text: string;
  position: Omit<HitPosition, 'score'>;
}

test('whatever is saved and looked for, the hits are those of the reference, in its order', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text, owner: fc.nat(1) }), { minLength: 1, maxLength: 25 }),
      fc.array(query, { minLength: 5, maxLength: 15 }),
      async (texts, queries) => {
        const written: Written[] = [];
        const run = number++;
        for (const [owner, viewer] of VIEWERS.entries()) {
          const chatId = `${run}-${viewer.userId}`;
          await createChat(database.store, viewer, { id: chatId });
          const contents = texts.filter((each) => each.owner === owner);
          if (contents.length === 0) continue;
          const { messages } = await saveMessages(database.store, viewer, {
            chatId,
            messages: contents.map((each, n) => ({ id: `${chatId}-${n}`, name: 'user', content: { text: each.text } })),
          });
          messages.forEach(({ id, createdAt, seq }, n) =>
            written.push({ id, ...viewer, text: contents[n]!.text, position: { createdAt, chatId, seq } }),
          );
        }

        for (const given of queries) {
          const parsed = parseQuery(given);
          for (const userId of [null, 'ann']) {
            const expected = reference(
              written.filter((each) => userId === null || each.userId === userId),
              parsed,
            );
            expect({ given, found: await found(given, userId) }).toEqual({ given, found: expected });
          }
          const chatIds = VIEWERS.map(({ userId }) => `${run}-${userId}`);
          for (const chatId of chatIds) {
            const expected = reference(
              written.filter((each) => each.position.chatId === chatId),
              parsed,
            );
            expect({ given, found: await found(given, null, { chatId, among: chatIds }) }).toEqual({
              given,
              found: expected,
            });
          }
        }
        for (const { userId } of VIEWERS) await database.store.remove(`${run}-${userId}`, userId);
      },
    ),
    { numRuns: runs(60) },
  );
  // What was removed cannot be found.
  expect((await database.allRows()).texts).toEqual([]);
}, 120_000);

/** In pages of 4. @param one chat, of which the hits are wanted, among those that are searched together */
async function found(query: string, userId: string | null, one?: { chatId: string; among: string[] }) {
  const hits: { id: string; score: number }[] = [];
  for (let after: HitPosition | null = null; ;) {
    const search: Search = { query, userId, names: null, first: 4, after };
    const page: HitSlice =
      one === undefined
        ? await database.reads.hits(search)
        : (await database.reads.hitPages(one.among, search))[one.among.indexOf(one.chatId)]!;
    hits.push(...page.rows.map(({ message, position }) => ({ id: message.id, score: position.score })));
    if (!page.hasNextPage) return hits;
    after = page.rows.at(-1)!.position;
  }
}

function reference(written: readonly Written[], parsed: SearchQuery) {
  return written
    .flatMap(({ id, text, position }) => {
      const { terms, length } = indexedTerms(text);
      if (!matches(terms, parsed)) return [];
      const score = parsed.required.reduce((sum, pattern) => {
        const n = terms.split(pattern).length - 1;
        return sum + Math.floor((2_200_000_000 * n) / (1000 * n + 300 + 9 * length));
      }, 0);
      return [{ id, score, ...position }];
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.createdAt - a.createdAt ||
        (a.chatId < b.chatId ? -1 : a.chatId > b.chatId ? 1 : b.seq - a.seq),
    )
    .map(({ id, score }) => ({ id, score }));
}
