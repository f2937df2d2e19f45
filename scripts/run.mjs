/**
 * `node scripts/run.mjs start`: builds dist if sources have changed, then runs `parley start` from it in this process. Commands do not
 * use Prisma's clients, which take seconds to generate.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './prisma/generate-tables.mjs';
import './build-modules.mjs';

const program = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/cli/parley.js');
process.argv.splice(1, 1, program);
await import(pathToFileURL(program).href);
