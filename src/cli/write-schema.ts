/** `npm run schema`: writes schema.graphql into the current folder. */
import { writeFileSync } from 'node:fs';
import { schema } from '../graphql/schema.js';
import { contractText } from './schema-files.js';

writeFileSync('schema.graphql', contractText(schema));
