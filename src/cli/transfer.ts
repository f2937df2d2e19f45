/** The process behind `npm run transfer`. */
import { terminal } from './terminal.js';
import { runTransfer } from './transfer-command.js';

process.exitCode = await runTransfer(process.argv.slice(2), terminal);
