/**
 * What properties are tried with: by default the same values every time, so that a test that fails does so because of
 * a change. `npm run fuzz` looks for others.
 */
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** What all values of properties are made from, a 32-bit integer. */
    seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
