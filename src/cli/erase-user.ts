/** The process behind `npm run erase-user`. */
import { runEraseUser } from './erase-user-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runEraseUser(process.argv.slice(2), terminal);
