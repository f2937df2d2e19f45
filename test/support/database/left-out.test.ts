/** Replaces the behaviour tests in a project whose database is unavailable on this machine. */
import { inject, test } from 'vitest';

test.skip(`the behaviour tests: ${inject('reason')}`);
