/**
 * The seed of properties: constant by default, so that a failing test is caused by a change. `npm run fuzz` varies
 * it.
 */
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A 32-bit integer that determines all values of properties. */
    seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
