/** The process behind `npm run import`. */
import { runImport } from './import-command.js';

process.exitCode = await runImport(process.argv.slice(2), {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
  progress: process.stdout.isTTY && process.stderr.isTTY ? process.stderr : null,
});
