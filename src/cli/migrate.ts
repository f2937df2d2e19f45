/** The process behind `npm run migrate`. */
import { runMigrate } from './migrate-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runMigrate(process.argv.slice(2), terminal);
