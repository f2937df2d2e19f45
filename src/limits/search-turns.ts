/** In which turns searches go on, so that nobody waits for another's to end. */
import { Turns } from './turns.js';

/** Searches, each of which keeps what it has found so far. */
export const searches = new Turns({ atOnce: Infinity, ofAUser: 4 });

/** Steps of them: so few that others find a connection, or a thread, that is free. */
export const searchSteps = new Turns({ atOnce: 2, ofAUser: 1 });
