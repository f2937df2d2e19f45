/** `npm run import -- FILE [--user ID]`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkName } from '../conversation/bounds.js';
import { openDatabase } from '../database/opening/open.js';
import { importFile } from '../interchange/import-file.js';
import { openSourceFile } from '../interchange/source-file.js';
import { EXIT, runCommand } from './command.js';
import { showProgress } from './progress-bar.js';
import type { Terminal } from './terminal.js';

const USAGE = `Usage: npm run import -- FILE [--user ID]

Imports conversations from a ChatGPT export (conversations.json, or the zip it came in) or from OASST message trees
(jsonl, also gzipped) into the database of DATABASE_URL.

  --user ID  the owner of the imported chats ("local" by default)
  --help     shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 all read, 1 something could not be read, 2 wrong usage
 */
export function runImport(
  args: readonly string[],
  terminal: Terminal,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: (request) => importInto(request, terminal, environment),
  });
}

type Request = { path: string; userId: string };

function readArguments(args: string[]): Request | 'help' {
  const { values, positionals } = parseArgs({
    args,
    options: { user: { type: 'string', default: 'local' }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new Error('Exactly one file is needed.');
  return { path, userId: checkName(values.user, '--user') };
}

async function importInto(
  { path, userId }: Request,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv | undefined,
): Promise<number> {
  const { databaseUrl } = readConfig(environment);
  // Before the database, which is made when there is none.
  const file = await openSourceFile(path);
  try {
    const { store } = await openDatabase({ url: databaseUrl });
    const progress = showProgress(terminal.progress, { unit: 'MB', shown: (bytes) => (bytes / 1e6).toFixed(1) });
    const showRead = () => progress.update(file.bytesRead(), file.size);
    showRead();
    try {
      const report = await importFile(store, userId, file, showRead);
      progress.stop();
      for (const line of report.summary()) terminal.out(line);
      return report.failures.total > 0 ? EXIT.failed : EXIT.done;
    } finally {
      progress.stop();
      await store.close();
    }
  } finally {
    await file.close();
  }
}
