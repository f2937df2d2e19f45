/** In which turns searches go on, so that nobody waits for another's to end. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from './fair-queue.js';
import { Turns } from './turns.js';

/** Searches, each of which keeps what it has found so far. */
export const searches = new Turns({ atOnce: Infinity, ofAUser: 4 });

/** Steps of them: so few that others find a connection, or a thread, that is free. */
export const searchSteps = new Turns({ atOnce: 2, ofAUser: 1 });

/** Steps of snippets, which are made in this thread. */
const snippetSteps = new Turns({ atOnce: 1 });

/** Settles in a turn of the event loop in which no other step of a snippet is taken. */
export function snippetTurn(caller: Caller): Promise<void> {
  return snippetSteps.run(caller, () => nextTurn());
}
