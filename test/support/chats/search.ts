/** Search helpers of tests. */
import { afterAll, onTestFinished } from 'vitest';
import { graphql } from '../../generated/graphql/gql.js';
import type { SearchFilter } from '../../generated/graphql/graphql.js';
import { databaseKind } from '../database/database-kind.js';
import { createChat, save, userMessage } from './operations.js';
import { openParley, startParley, type Parley } from '../server/parley.js';
import { persistentDatabase } from '../database/temporary-database.js';

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

/** Returns a page of hits with its page info. */
export async function search(parley: Parley, query: string, page: SearchPage = {}) {
  const { search: found } = await parley.run(Search, { query, ...page });
  return { hits: found.edges.map(({ node: { message, ...hit } }) => ({ id: message.id, ...hit })), ...found };
}

/** The ids of the hits, best first. */
export async function find(parley: Parley, query: string, page: SearchPage = {}): Promise<string[]> {
  return (await search(parley, query, { first: 1000, ...page })).hits.map((hit) => hit.id);
}

/** Opens a server with a chat "c", whose chain has these texts by message id. */
export type OpenWithTexts = (texts: Record<string, string>) => Promise<Parley>;

/**
 * Opens servers for all tests of the calling file. On PostgreSQL, tests share one server whose database is emptied
 * after each test, because a start takes longer than a search.
 */
export function openerWithTexts(): OpenWithTexts {
  let persistent:
    | { database: ReturnType<typeof persistentDatabase>; server: ReturnType<typeof startParley> }
    | undefined;
  afterAll(async () => {
    await (await persistent?.server)?.stop();
    await persistent?.database.remove();
  });
  const open = async () => {
    if (databaseKind !== 'postgresql') return openParley();
    if (persistent === undefined) {
      const database = persistentDatabase();
      persistent = { database, server: startParley({ databaseUrl: database.url }) };
    }
    onTestFinished(persistent.database.empty);
    return (await persistent.server).parley;
  };
  return async (texts) => {
    const parley = await open();
    await createChat(parley, 'c');
    await save(parley, { chatId: 'c', messages: Object.entries(texts).map(([id, text]) => userMessage(id, text)) });
    return parley;
  };
}
