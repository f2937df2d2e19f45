/** The process behind `npm run token`. */
import { runToken } from './token-command.js';

process.exitCode = await runToken(process.argv.slice(2), {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
});
