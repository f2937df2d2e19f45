import type { PageRequest } from '../conversation/paging.js';

/** The page that is all of a list. */
export const WHOLE_LIST: PageRequest<never> = { first: null, last: null, after: null, before: null };
