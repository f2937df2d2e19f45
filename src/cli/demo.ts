/** The process behind `npm run demo`. */
import { runDemo } from './demo-command.js';
import { terminal } from './terminal.js';

process.exitCode = await runDemo(process.argv.slice(2), terminal);
