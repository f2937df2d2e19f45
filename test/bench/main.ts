/**
 * `npm run bench`: prints, as ratios of one run, the cost of the server over HTTP against the bare drivers and bare
 * Yoga; and of the server with large databases against small ones, and many clients against one. The server is a
 * separate process; its databases are files in a temporary folder, and a PostgreSQL from npm. A name argument selects
 * measurements whose names contain it; `--against FOLDER` also measures another build. A machine with other work gives
 * other ratios, so that a load above 1 ends it; `--busy` measures nevertheless.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import '../../src/features/all-forms.js';
import { measureAnswers } from './answers.js';
import { measureBefore } from './before.js';
import { measureGraph } from './explorer/graph.js';
import { measurePostgresqlChains, measureSqliteChains } from './chains.js';
import { measureContext } from './context.js';
import { measureDrafts } from './drafts.js';
import { measureExplorer } from './explorer/explorer.js';
import { measureThreads, measureTransfers } from './files.js';
import { measureGraphs } from './graphs.js';
import { measureInterchange } from './interchange.js';
import { measureLive } from './live.js';
import { measureLongReads } from './long-reads.js';
import { measurePackages } from './packages.js';
import { measurePages } from './pages.js';
import { comparePeers } from './peers.js';
import { withPostgresql } from './measuring/postgresql.js';
import { printHead, printRatio, type Ratio } from './measuring/report.js';
import { measureRequests } from './requests.js';
import { measureScale } from './scale/scale.js';
import { measureSaveFeatures } from './saves/save-features.js';
import { measureConcurrentSaves, measureLargeSaves, measureSaveCost } from './saves/saves.js';
import { measureCommonWord, measureMillion, measureSearch } from './search/search.js';
import { measureStarts } from './starts.js';
import { measureTitles } from './search/titles.js';

/** Waits of five seconds each for the load to fall. */
const MAX_WAITS = 36;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, busy: { type: 'boolean', default: false } },
});
const [wanted = ''] = positionals;
const load = () => loadavg()[0] ?? 0;
// The build before the bench raises the load of a quiet machine for about a minute.
for (let waits = 0; load() > 1 && !values.busy && waits < MAX_WAITS; waits++) await setTimeout(5_000);
if (load() > 1 && !values.busy) {
  console.error(
    `The load of the machine is ${load().toFixed(1)}; at most 1 gives ratios to record. --busy measures nevertheless.`,
  );
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const path = (name: string) => join(folder, `${name}.db`);
const file = (name: string) => `file:${path(name)}`;

const parts: Record<string, () => AsyncGenerator<Ratio>> = {
  async *saves() {
    yield* measureSaveCost('SQLite', file('saves'), 2.2);
    yield* measureLargeSaves(folder);
  },
  'save-features': () => measureSaveFeatures('SQLite', file('save-features')),
  before: () => measureBefore(folder, values.against),
  chains: () => measureSqliteChains(path('chains')),
  requests: () => measureRequests(file('requests')),
  'long-reads': () => measureLongReads(file('long-reads')),
  async *explorer() {
    yield* measureExplorer('SQLite', file('explorer'));
    yield* measureGraph(file('graph'));
  },
  pages: () => measurePages(file('pages')),
  titles: () => measureTitles('SQLite', { few: file('few-titles'), many: file('many-titles') }),
  async *search() {
    yield* measureCommonWord('SQLite', file('spoken'));
    yield* measureSearch('SQLite', { alone: file('alone'), among: file('among') });
  },
  postgresql: () =>
    withPostgresql(async function* (url) {
      yield* measureSaveCost('PostgreSQL', `${url}?schema=saves`, 2.5);
      yield* measurePostgresqlChains(url);
      yield* measureGraphs('PostgreSQL', `${url}?schema=graphs`);
      yield* measureConcurrentSaves(url);
      yield* measureExplorer('PostgreSQL', `${url}?schema=explorer`);
      yield* measureCommonWord('PostgreSQL', `${url}?schema=spoken`);
      yield* measureSearch('PostgreSQL', { alone: `${url}?schema=alone`, among: `${url}?schema=among` });
      yield* measureTitles('PostgreSQL', { few: `${url}?schema=few`, many: `${url}?schema=many` });
      yield* measureMillion(`${url}?schema=million`);
    }),
  'save-features-postgresql': () =>
    withPostgresql(async function* (url, startStandby) {
      const standby = await startStandby();
      yield* measureSaveFeatures('PostgreSQL', `${url}?schema=features`, `${standby}?schema=features`);
    }),
  start: () => measureStarts(file('start')),
  packages: () => measurePackages(),
  context: () => measureContext(folder),
  answers: () => measureAnswers(file('answers')),
  drafts: () => measureDrafts({ small: file('drafts'), live: file('followed-drafts'), busy: file('busy-drafts') }),
  async *files() {
    yield* measureThreads(file('threads'));
    yield* measureTransfers(file('transfers'), folder);
  },
  graphs: () => measureGraphs('SQLite', file('graphs')),
  interchange: () => measureInterchange(folder),
  live: () => measureLive(folder),
};

try {
  // Comparisons with other products install many packages, and 10,000 users take long: both run only on request.
  if (wanted === 'peers') await comparePeers(folder);
  else if (wanted === 'scale') {
    printHead();
    for await (const ratio of measureScale(file('scale'))) printRatio(ratio);
  } else {
    printHead();
    for (const [name, measure] of Object.entries(parts)) {
      if (name.includes(wanted)) for await (const ratio of measure()) printRatio(ratio);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
