/** Compares buffers by their bytes: `toEqual` visits the bytes as properties, which takes seconds for 1 MiB. */
import { expect } from 'vitest';

expect.addEqualityTesters([
  (a: unknown, b: unknown) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : undefined),
]);
