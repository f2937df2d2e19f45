/** Writes the columns of each table into src/generated: all that the server needs of the models. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../parts.mjs';
import { writeColumns } from './render-schema.mjs';

const generated = join(root, 'src', 'generated');
mkdirSync(generated, { recursive: true });
writeColumns(join(generated, 'tables.ts'));
