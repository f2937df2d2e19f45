/** The process behind `npm run migrate`. */
import { runMigrate } from './migrate-command.js';

process.exitCode = await runMigrate(process.argv.slice(2), {
  out: (line) => console.log(line),
  error: (line) => console.error(line),
});
