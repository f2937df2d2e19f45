/** Searching, as the tests do it. */
import { graphql } from '../generated/graphql/gql.js';
import type { SearchFilter } from '../generated/graphql/graphql.js';
import { createChat, save, userMessage } from './operations.js';
import { openParley, type Parley } from './parley.js';

const Search = graphql(`
  query Search($query: String!, $filter: SearchFilter, $first: Int, $after: String) {
    search(query: $query, filter: $filter, first: $first, after: $after) {
      edges {
        cursor
        node {
          rank
          snippet
          message {
            id
          }
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`);

export interface SearchPage {
  filter?: SearchFilter;
  first?: number;
  after?: string;
}

/** A page of hits, and what it says of itself. */
export async function search(parley: Parley, query: string, page: SearchPage = {}) {
  const { search: found } = await parley.run(Search, { query, ...page });
  return { hits: found.edges.map(({ node: { message, ...hit } }) => ({ id: message.id, ...hit })), ...found };
}

/** The ids of what is found, best first. */
export async function find(parley: Parley, query: string, page: SearchPage = {}): Promise<string[]> {
  return (await search(parley, query, { first: 1000, ...page })).hits.map((hit) => hit.id);
}

/** A server with a chat "c" of messages on one chain: their ids, and their texts. */
export async function openWithTexts(texts: Record<string, string>): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: Object.entries(texts).map(([id, text]) => userMessage(id, text)) });
  return parley;
}
