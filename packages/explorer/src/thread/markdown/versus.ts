import { createContext } from 'react';

/** The version of a text to which it is compared. */
export interface Versus {
  readonly other: string;
  /** Whether the text replaces the other one. */
  readonly isNewer: boolean;
  /** Whether words are marked even if the versions have little in common. */
  readonly isForced: boolean;
}

/** The other versions of the texts in comparisons, by text. */
export const VersusContext = createContext<ReadonlyMap<string, Versus>>(new Map());
