/** The process behind `npm run import`. */
import { runImport } from './import-command.js';
import { keepHeapModest } from './modest-heap.js';
import { terminal } from './terminal.js';

keepHeapModest();
process.exitCode = await runImport(process.argv.slice(2), terminal);
