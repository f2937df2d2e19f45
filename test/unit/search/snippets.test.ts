import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ContentBudget } from '../../../src/limits/content-budget.js';
import { TooLargeError } from '../../../src/conversation/errors.js';
import { snippetOf } from '../../../src/graphql/search/snippets.js';
import { markedHtml } from '../../../src/search/excerpt.js';
import { parseQuery } from '../../../src/search/query.js';

type Shown = Parameters<typeof snippetOf>[0];

const another = { userId: 'v', isAdmin: false };
const viewer = { userId: 'u', isAdmin: false };

/** Hits that record when their text is read. */
function observedHits(count: number) {
  const read: number[] = [];
  const hits = Array.from({ length: count }, (_, n): Shown => {
    const message = {
      get data() {
        read.push(n);
        return JSON.stringify(`text ${n}`);
      },
    };
    return { message: message as Shown['message'], query: parseQuery('text') };
  });
  return { hits, read };
}

it('a snippet is made once, for any number of aliases', async () => {
  const { hits, read } = observedHits(3);
  const context = { viewer };
  const asked = hits.flatMap((hit) => Array.from({ length: 50 }, () => snippetOf(hit, context)));
  const made = [...new Set(await Promise.all(asked))];
  expect(made.map(markedHtml)).toEqual([0, 1, 2].map((n) => `<mark>text</mark> ${n}`));
  expect(read).toEqual([0, 1, 2]);
});

it('other work can run between the snippets of an operation', async () => {
  const { hits, read } = observedHits(20);
  const context = { viewer };
  const asked = Promise.all(hits.map((hit) => snippetOf(hit, context)));
  for (let before = 0; read.length < hits.length; before = read.length) {
    await nextTurn();
    expect(read.length - before).toBeLessThanOrEqual(1);
  }
  await asked;
});

it('other work can run between the steps of long snippets of all operations', async () => {
  const long = (): Shown => {
    const data = JSON.stringify(`${'word '.repeat(20_000)} text`);
    return { message: { data } as Shown['message'], query: parseQuery('text') };
  };
  const made: string[] = [];
  for (const context of [{ viewer }, { viewer }, { viewer: another }]) {
    void snippetOf(long(), context).then(({ text }) => made.push(text));
  }
  let turns = 0;
  for (; made.length < 3; turns++) await nextTurn();
  expect(turns).toBeGreaterThanOrEqual(3 * 20);
  for (const text of made) expect(text).toMatch(/ text$/);
});

it('an operation whose snippets take more than 4,000 steps is refused', async () => {
  const { hits, read } = observedHits(4_100);
  const content = new ContentBudget(1000);
  const asked = await Promise.allSettled(hits.map((hit) => snippetOf(hit, { content, viewer })));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(4_000);
  expect(content.refusal).toBeInstanceOf(TooLargeError);
  expect(asked[4_000]).toEqual({ status: 'rejected', reason: content.refusal });
  expect(read).toHaveLength(4_000);
});

it('no snippet is made after the operation has ended', async () => {
  const { hits, read } = observedHits(20);
  const content = new ContentBudget(1000);
  const context = { content, viewer };
  const [first] = hits.map((hit) => snippetOf(hit, context));
  await first;
  content.end();
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(read).toEqual([0]);
});
