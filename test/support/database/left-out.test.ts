/** Stands in for the suite of behaviour in a project whose database is not to be had here. */
import { inject, test } from 'vitest';

test.skip(`the suite of behaviour: ${inject('reason')}`);
