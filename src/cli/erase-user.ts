/** The process behind `npm run erase-user`. */
import { runEraseUser } from './erase-user-command.js';

process.exitCode = await runEraseUser(process.argv.slice(2), {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
});
