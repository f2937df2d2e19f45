/** The process behind `npm run schema`: writes the contract's files into the folder that it runs in. */
import { writeFileSync } from 'node:fs';
import { schema } from '../graphql/schema.js';
import { schemaFiles } from './schema-files.js';

for (const [name, text] of Object.entries(schemaFiles(schema))) writeFileSync(name, text);
