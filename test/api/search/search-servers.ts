/** Servers with chats to search. */
import { expect } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { search, type SearchPage } from '../../support/chats/search.js';

/** The pages of `size` that follow each other, from the first to the last. */
export async function pages(parley: Parley, query: string, size: number, filter: SearchPage = {}): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | null | undefined = null; ;) {
    const page: SearchPage = { ...filter, first: size, ...(after == null ? {} : { after }) };
    const { hits, edges, pageInfo } = await search(parley, query, page);
    expect(pageInfo).toEqual({
      hasNextPage: pageInfo.hasNextPage,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
    found.push(hits.map((hit) => hit.id));
    if (!pageInfo.hasNextPage) return found;
    expect(hits).toHaveLength(size);
    after = pageInfo.endCursor;
  }
}

/** A server whose chats c0, c1 and c2 have `count` messages each, all with one text. */
export async function openWithTies(count: number): Promise<Parley> {
  const parley = await openParley();
  for (const chatId of ['c0', 'c1', 'c2']) {
    await createChat(parley, chatId);
    const messages = Array.from({ length: count }, (_, n) => userMessage(`${chatId}-${n}`, 'the same words'));
    await save(parley, { chatId, messages });
  }
  return parley;
}

export function cursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}
