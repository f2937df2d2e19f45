import type { ExpectedHeadInput } from '../generated/operations.js';

/** The head that the page shows, for the server; null for an empty thread. */
export const expectedHead = (id: string | null): ExpectedHeadInput => (id === null ? { empty: true } : { id });
