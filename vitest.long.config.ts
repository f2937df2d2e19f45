/** The tests that `npm test` shortens or leaves out. */
import { suite } from './vitest.config.js';

export default suite(true);
