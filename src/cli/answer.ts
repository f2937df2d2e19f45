/** The process behind `npm run answer`. */
import { runAnswer } from './answer-command.js';
import { terminal } from './terminal.js';

const ending = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  // A second signal ends the process at once.
  process.once(name, () => ending.abort());
}
// Answers that are still being written would keep the process alive.
process.exit(await runAnswer(process.argv.slice(2), terminal, { signal: ending.signal }));
