/** `node scripts/run.mjs main`: runs dist/main.js in this process, built when it has to be. */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './build.mjs';

const program = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', `${process.argv[2]}.js`);
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
