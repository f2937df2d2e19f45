/** The process behind `npm run export`. */
import { runExport } from './export-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runExport(process.argv.slice(2), terminal);
