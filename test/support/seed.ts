/** The forms of schemas, and the seed of properties: constant by default, so that only changes make tests fail. `npm run fuzz` varies it. */
import fc from 'fast-check';
import { inject } from 'vitest';
import '../../src/features/all-forms.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A 32-bit integer that determines all values of properties. */
    seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
