/**
 * `npm run bench`: prints, as ratios of one run, what the server costs through HTTP against the bare drivers, large
 * databases against small ones, and many clients against one. The server is a process of its own; its databases are
 * files in a temporary folder, and a PostgreSQL from npm. An argument measures only what has it in its name.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureChains } from './chains.js';
import { measureContext } from './context.js';
import { measureLive } from './live.js';
import { measurePostgresqlChain, withPostgresql } from './postgresql.js';
import { printHead, printRatio, type Ratio } from './report.js';
import { measureConcurrentSaves, measureSaves } from './saves.js';
import { measureCommonWord, measureSearch } from './search.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const file = (name: string) => `file:${join(folder, `${name}.db`)}`;

const parts: Record<string, () => AsyncGenerator<Ratio>> = {
  chains: () => measureChains(folder),
  saves: () => measureSaves(folder),
  context: () => measureContext(folder),
  async *search() {
    yield* measureSearch('SQLite', { alone: file('alone'), among: file('among') });
    yield* measureCommonWord('SQLite', file('common'));
  },
  postgresql: () =>
    withPostgresql(async function* (url) {
      yield* measurePostgresqlChain(url);
      yield* measureConcurrentSaves(url);
      yield* measureSearch('PostgreSQL', { alone: `${url}?schema=alone`, among: `${url}?schema=among` });
      yield* measureCommonWord('PostgreSQL', `${url}?schema=common`);
    }),
  live: () => measureLive(folder),
};

const [wanted = ''] = process.argv.slice(2);
try {
  printHead();
  for (const [name, measure] of Object.entries(parts)) {
    if (name.includes(wanted)) for await (const ratio of measure()) printRatio(ratio);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
