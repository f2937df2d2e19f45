/** The process behind `npm run copy`. */
import { runCopy } from './copy-command.js';

process.exitCode = await runCopy(process.argv.slice(2), {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
  progress: process.stdout.isTTY && process.stderr.isTTY ? process.stderr : null,
});
