/** In which turns searches go on, so that nobody waits for another's to end. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from './fair-queue.js';
import { Turns } from './turns.js';

/** Searches, each of which keeps what it has found so far. */
export const searches = new Turns({ atOnce: Infinity, ofAUser: 4 });

/** Steps of them: so few that others find a connection, or a thread, that is free. */
export const searchSteps = new Turns({ atOnce: 2, ofAUser: 1 });

/** Steps through the words of texts, for snippets and titles, which are taken in this thread. */
const wordSteps = new Turns({ atOnce: 1 });

/** Settles in a turn of the event loop in which no other step through words is taken. */
export function wordsTurn(caller: Caller | undefined): Promise<void> {
  return wordSteps.run(caller, () => nextTurn());
}
