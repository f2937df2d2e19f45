import { useEffect, useState } from 'react';
import { asParleyError, type ParleyError } from '../connection/errors.js';
import { Search, type SearchFilter, type SearchQuery } from '../generated/operations.js';
import { useParley } from './provider.js';

export type SearchHit = SearchQuery['search']['edges'][number]['node'];

export interface SearchState {
  /** Best first: those of the question before until there is an answer. */
  hits: readonly SearchHit[];
  isSearching: boolean;
  error: ParleyError | null;
}

export interface SearchOptions {
  /** 20 by default. */
  first?: number;
  filter?: SearchFilter;
  /** How long nothing is typed before it is asked, in milliseconds: 150 by default. */
  delay?: number;
}

const NOTHING: SearchState = { hits: [], isSearching: false, error: null };

/** Finds messages on any branch as somebody types: only the answer to the last question is shown. */
export function useSearch(query: string, { first = 20, filter, delay = 150 }: SearchOptions = {}): SearchState {
  const parley = useParley();
  const [state, setState] = useState(NOTHING);
  // A filter that says the same is the same.
  const asked = JSON.stringify({ query: query.trim(), first, filter });
  useEffect(() => {
    const variables = JSON.parse(asked) as { query: string; first: number; filter?: SearchFilter };
    if (variables.query === '') return setState(NOTHING);
    const controller = new AbortController();
    setState((before) => ({ ...before, isSearching: true }));
    const timer = setTimeout(() => {
      parley.run(Search, variables, controller.signal).then(
        ({ search }) => setState({ hits: search.edges.map(({ node }) => node), isSearching: false, error: null }),
        (reason: unknown) => {
          if (!controller.signal.aborted) setState({ hits: [], isSearching: false, error: asParleyError(reason) });
        },
      );
    }, delay);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [parley, asked, delay]);
  return state;
}
