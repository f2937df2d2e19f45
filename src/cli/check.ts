/** The process behind `npm run check`. */
import { runCheck } from './check-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runCheck(process.argv.slice(2), terminal);
