/** The process behind `npm run copy`. */
import { runCopy } from './copy-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runCopy(process.argv.slice(2), terminal);
