/** The program: runs until it is stopped, and exits with the code of the command. */
import { runAnswer } from './run-answer.js';

const output = { out: (line: string) => console.log(line), error: (line: string) => console.error(line) };
// Ends connections and timers that are still open.
process.exit(await runAnswer(process.argv.slice(2), output));
