/** Every database finds the same texts as src/search, in the order of hit-order.ts. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { HitPosition, HitSlice, Search } from '../../../src/conversation/reads.js';
import { createReader } from '../../../src/database/reading/reader.js';
import { searchReads } from '../../../src/database/reading/search/search-reads.js';
import { matches, parseQuery, type SearchQuery } from '../../../src/search/query.js';
import { indexedTerms } from '../../../src/search/terms.js';
import { runs } from '../../support/effort.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';
import { anyText } from '../../unit/search/any-text.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

// Few words in many places, so that searches have hits.
const WORDS = ['run', 'Running', 'runner', 'cafe', 'Café', 'a', 'the', '北京', '京', '北京大学', '大', 'x1', "it's"];
const someText = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const text = fc
  .oneof({ weight: 3, arbitrary: someText }, { weight: 1, arbitrary: anyText })
  // Texts that can be saved.
  .map((each) => each.toWellFormed().replaceAll('\0', ''));

const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WORDS) }, { weight: 1, arbitrary: anyText });
const part = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: word.map((each) => `-${each}`) },
  { weight: 2, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => `-"${words.join(' ')}"`) },
  {
    weight: 2,
    arbitrary: fc.tuple(word, fc.integer({ min: 1, max: 4 })).map(([each, length]) => `${each.slice(0, length)}*`),
  },
  { weight: 1, arbitrary: word.map((each) => `-${each.slice(0, 3)}*`) },
);
const query = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));

/** The name of the message with this text. */
const nameOf = (text: string) => (text.length % 2 === 0 ? 'user' : 'assistant');

const VIEWERS = ['ann', 'bob'].map((userId) => ({ userId, isAdmin: false }));

interface Written {
  id: string;
  userId: string;
  text: string;
  position: Omit<HitPosition, 'score'>;
}

test('for any texts, queries and numbers of ranked hits, the hits equal those of the reference in order', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text, owner: fc.nat(1) }), { minLength: 1, maxLength: 25, size: '+1' }),
      fc.array(fc.record({ query, names: fc.constantFrom(null, ['user']) }), { minLength: 5, maxLength: 15 }),
      fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(1000)),
      async (texts, queries, ranked) => {
        /** In the order of saving. */
        const written: Written[] = [];
        const run = number++;
        for (const viewer of VIEWERS) await createChat(database.store, viewer, { id: `${run}-${viewer.userId}` });
        for (const [owner, contents] of saves(texts)) {
          const viewer = VIEWERS[owner]!;
          const chatId = `${run}-${viewer.userId}`;
          const { messages } = await saveMessages(database.store, viewer, {
            chatId,
            messages: contents.map((text) => ({ name: nameOf(text), content: { text } })),
          });
          messages.forEach(({ id, createdAt, seq }, n) =>
            written.push({ id, ...viewer, text: contents[n]!, position: { createdAt, chatId, seq } }),
          );
        }
        const reads = searchReads(createReader(database.connection), { ranked });

        for (const { query, names } of queries) {
          const parsed = parseQuery(query);
          const named = written.filter(({ text }) => names === null || names.some((name) => name === nameOf(text)));
          for (const userId of [null, 'ann']) {
            const expected = reference(
              named.filter((each) => userId === null || each.userId === userId),
              parsed,
              ranked,
            );
            expect({ query, found: await found(reads, { query, names, userId }) }).toEqual({ query, found: expected });
          }
          const chatIds = VIEWERS.map(({ userId }) => `${run}-${userId}`);
          for (const chatId of chatIds) {
            const expected = reference(
              named.filter((each) => each.position.chatId === chatId),
              parsed,
              ranked,
            );
            const search = { query, names, userId: null };
            expect({ query, found: await found(reads, search, { chatId, among: chatIds }) }).toEqual({
              query,
              found: expected,
            });
          }
        }
        for (const { userId } of VIEWERS) await database.store.remove(`${run}-${userId}`, userId);
      },
    ),
    { numRuns: runs(60) },
  );
  // Deleted messages are not found.
  expect((await database.allRows()).texts).toEqual([]);
});

/** Adjacent elements of one owner as groups. */
function saves(texts: readonly { text: string; owner: number }[]): [owner: number, contents: string[]][] {
  const found: [number, string[]][] = [];
  for (const { text, owner } of texts) {
    const last = found.at(-1);
    if (last?.[0] === owner) last[1].push(text);
    else found.push([owner, [text]]);
  }
  return found;
}

/** Reads hits in pages of 4. @param one the chat whose hits are returned, among the chats that are searched together */
async function found(
  reads: ReturnType<typeof searchReads>,
  wanted: Pick<Search, 'query' | 'names' | 'userId'>,
  one?: { chatId: string; among: string[] },
) {
  const hits: { id: string; score: number }[] = [];
  for (let after: HitPosition | null = null; ;) {
    const search: Search = { ...wanted, first: 4, after };
    const page: HitSlice =
      one === undefined
        ? await reads.hits(search)
        : (await reads.hitPages(one.among, search))[one.among.indexOf(one.chatId)]!;
    hits.push(...page.rows.map(({ message, position }) => ({ id: message.id, score: position.score })));
    if (!page.hasNextPage) return hits;
    after = page.rows.at(-1)!.position;
  }
}

function reference(written: readonly Written[], parsed: SearchQuery, ranked: number) {
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
    .slice(-ranked)
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.createdAt - a.createdAt ||
        (a.chatId < b.chatId ? -1 : a.chatId > b.chatId ? 1 : b.seq - a.seq),
    )
    .map(({ id, score }) => ({ id, score }));
}
