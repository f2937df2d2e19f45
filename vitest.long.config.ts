/** The tests that do less in `npm test` than they can, or that are not in it at all. */
import { suite } from './vitest.config.js';

export default suite(true);
