import { useCallback, useEffect, useRef, useState } from 'react';
import { asParleyError, type ParleyError } from '@parley/transport/errors';
import { Search, type SearchFilter, type SearchQuery, type SearchQueryVariables } from '../generated/operations.js';
import { useParley } from './provider.js';

export type SearchHit = SearchQuery['search']['edges'][number]['node'];

export interface SearchState {
  /** Best first. The hits of the previous query until the next result. */
  hits: readonly SearchHit[];
  /** Whether a page is being read. */
  isSearching: boolean;
  error: ParleyError | null;
  /** Whether `loadMore` can read more hits. */
  hasMore: boolean;
}

export interface SearchOptions {
  /**
   * The number of hits per page.
   * @default 20
   */
  first?: number;
  filter?: SearchFilter;
  /**
   * Milliseconds without a change of the query before the request.
   * @default 150
   */
  delay?: number;
}

/** Reads the page after a cursor; the first page after null. */
type Read = (after: string | null) => Promise<void>;

const NOTHING: SearchState & { cursor: string | null } = {
  hits: [],
  isSearching: false,
  error: null,
  hasMore: false,
  cursor: null,
};

/** Searches messages on all branches while the user types: shows only the result of the last query. */
export function useSearch(
  query: string,
  { first = 20, filter, delay = 150 }: SearchOptions = {},
): SearchState & { /** Adds the next page to `hits`. */ loadMore(): Promise<void> } {
  const parley = useParley();
  const [{ cursor, ...state }, setState] = useState(NOTHING);
  const read = useRef<Read>(undefined);
  // Filters with equal content are the same query.
  const asked = JSON.stringify({ query: query.trim(), first, filter });
  useEffect(() => {
    const variables = JSON.parse(asked) as SearchQueryVariables;
    if (variables.query === '') return setState(NOTHING);
    const controller = new AbortController();
    const { signal } = controller;
    let isReading = false;
    const readPage: Read = async (after) => {
      if (isReading) return;
      isReading = true;
      setState((before) => ({ ...before, isSearching: true, hasMore: false }));
      try {
        const { search } = await parley.run(Search, { ...variables, after }, signal);
        const { hasNextPage, endCursor } = search.pageInfo;
        const page = { isSearching: false, error: null, hasMore: hasNextPage, cursor: endCursor };
        const found = search.edges.map(({ node }) => node);
        setState(({ hits }) => ({ ...page, hits: after === null ? found : [...hits, ...found] }));
      } catch (reason) {
        if (signal.aborted) return;
        const error = asParleyError(reason);
        const kept = after === null ? NOTHING : { isSearching: false, hasMore: true };
        setState((before) => ({ ...before, ...kept, error }));
      }
      isReading = false;
    };
    setState((before) => ({ ...before, isSearching: true, hasMore: false }));
    const timer = setTimeout(() => {
      read.current = readPage;
      void readPage(null);
    }, delay);
    return () => {
      clearTimeout(timer);
      controller.abort();
      read.current = undefined;
    };
  }, [parley, asked, delay]);
  const { hasMore } = state;
  const loadMore = useCallback(async () => {
    if (hasMore) await read.current?.(cursor);
  }, [hasMore, cursor]);
  return { ...state, loadMore };
}
