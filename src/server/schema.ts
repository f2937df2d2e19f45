/** The schema of the core and of all features. */
import { wrapSchema } from '../features/all-features.js';
import { createSchema } from '../graphql/schema.js';

export const schema = createSchema(wrapSchema);
