/** The process behind `npm run import`. */
import { runImport } from './import-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runImport(process.argv.slice(2), terminal);
