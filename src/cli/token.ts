/** The process behind `npm run token`. */
import { runToken } from './token-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runToken(process.argv.slice(2), terminal);
