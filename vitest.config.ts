import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import type { DatabaseKind } from './test/support/database/database-kind.js';
import { whyNoPostgresql } from './test/support/database/embedded-postgresql.js';
import { memoryFolder } from './test/support/memory-folder.js';
import { PATIENCE_MS } from './test/support/patience.js';

// The path of an additional JSON report, which .ci/run counts.
const reportFile = process.env['TEST_REPORT'];
// The seed of generated values: constant, except in `npm run fuzz`.
export const seed = Number(process.env['TEST_SEED'] ?? 20261121);
if (!Number.isInteger(seed)) throw new Error(`TEST_SEED must be an integer, got "${process.env['TEST_SEED']}"`);
// Temporary files of the tests and of the processes that they start.
const inMemory = memoryFolder();
if (inMemory !== undefined) process.env['TMPDIR'] ??= inMemory;

const TESTS = '{test,packages/*/test}/**/*.test.ts';
/** Tests that have their own packages; `npm run conformance` runs them. */
export const CONFORMANCE = 'test/conformance/**';

/** Tests of statements that differ by dialect: they also run on each database server. */
export const STATEMENTS = [
  'test/api/{any-operations,branches,edits,event-filters,event-subscriptions,paths,plain-lists,seeds}.test.ts',
  'test/api/{ids-beside-names,positions,statements,subscriptions}.test.ts',
  'test/graphs/*.test.ts',
  'test/features/node-ids.test.ts',
  'test/features/forks/*.test.ts',
  'test/api/{chats,search}/*.test.ts',
  'test/features/{members/{members,roles},usage/monthly-usage,users/users}.test.ts',
  'test/api/refusals/{forged-rows,hostile-input,ownership}.test.ts',
  'test/features/access-tokens/{access-tokens,chat-access-tokens}.test.ts',
  'test/features/sessions/sessions.test.ts',
  'test/features/drafts/{any-drafts,drafts,draft-{keeper,limits.long,list-subscriptions,places,subscriptions}}.test.ts',
  'test/context/{store/*,two-engines}.test.ts',
  'test/events/{any-follower,chat-list,chat-list-streams,head-replay}.test.ts',
  'test/database/title-words.test.ts',
  'test/database/{check,common-ancestors,constraints,deep-graphs,digests,fills,link-walk,message-data,outlines,path-runs}.test.ts',
  'test/database/search/{any-search,empty-pages,search-work}.test.ts',
  'test/database/transactions/{long-saves,transactions}.test.ts',
  'test/features/files/{files,imported-files}.test.ts',
  'test/limits/aliases.test.ts',
  'test/features/{retention/retention-api,shares/{fork-share,shared-branches,shares},webhooks/webhooks}.test.ts',
  'test/features/imports/{any-history,any-tree,reimport}.test.ts',
  'test/features/imports/steps/*.test.ts',
  'test/features/imports/forged/*.test.ts',
  'test/features/imports/http/ended-rights.test.ts',
];
/**
 * The slow ones of STATEMENTS, PERSISTENT and IN_MEMORY: `npm test` runs them on a SQLite file and `npm run test:long` on all
 * databases. The properties of the same subjects (any-operations, any-drafts, any-search) run on all in both.
 */
const SLOW_ON_OTHERS = globSync([
  'test/api/{branches,edits,event-filters,event-subscriptions,paths,plain-lists,seeds,subscriptions}.test.ts',
  'test/graphs/*.test.ts',
  'test/features/forks/*.test.ts',
  'test/api/chats/{chat-changes,chat-filters,metadata-filters}.test.ts',
  'test/features/drafts/draft*.test.ts',
  'test/features/{members/{members,roles},usage/monthly-usage}.test.ts',
  'test/api/refusals/{forged-rows,hostile-input,ownership}.test.ts',
  'test/api/search/*.test.ts',
  'test/features/access-tokens/{access-tokens,chat-access-tokens}.test.ts',
  'test/features/sessions/sessions.test.ts',
  'test/context/{store/*,two-engines}.test.ts',
  'test/features/deletion/{deleted-chats,erase-user,recovery}.test.ts',
  'test/database/{check,deep-graphs,fills,message-data,outlines,removal/removal}.test.ts',
  'test/database/{search/search-work,transactions/long-saves}.test.ts',
  'test/features/migrations/{upgrade,upgrade-required}.test.ts',
  'test/events/chat-list.test.ts',
  'test/features/files/{files,imported-files,life-cycle}.test.ts',
  'test/features/imports/{reimport,steps/*}.test.ts',
  'test/features/imports/forged/*.test.ts',
  'test/features/imports/http/ended-rights.test.ts',
  'test/live/chat-changes.test.ts',
  'test/features/{quotas/storage-quota,retention/legal-holds,shares/{fork-share,shared-branches,shares},webhooks/webhooks}.test.ts',
  'test/limits/aliases.test.ts',
  'test/live/processes/{kill,stop}.test.ts',
]);
/** Tests on a database in memory: its statements equal those of a file, but it has a single connection. */
const IN_MEMORY = [
  'test/api/{event-subscriptions,readme,subscriptions}.test.ts',
  'test/context/{store/*,two-engines}.test.ts',
  'test/events/any-follower.test.ts',
  'test/database/{constraints,search/any-search,transactions/transactions}.test.ts',
];
/** Tests of databases that outlive a process or that processes share. */
export const PERSISTENT = [
  'test/features/deletion/{erase-user,erased-ids,recovery}.test.ts',
  'test/database/removal/*.test.ts',
  'test/features/prisma/prisma-client.test.ts',
  'test/features/quotas/storage-quota.test.ts',
  'test/features/retention/{legal-holds,retention}.test.ts',
  'test/live/chat-changes.test.ts',
  'test/live/processes/{kill,stop}.test.ts',
  'test/live/processes/{kill-filling,kill-removal,two-processes}.long.test.ts',
  'test/features/files/life-cycle.test.ts',
  'test/live/processes/kill-files.long.test.ts',
  'test/features/drafts/live/kill-finish.long.test.ts',
];
/** Tests of migrations of SQLite and PostgreSQL. */
const MIGRATIONS = [
  'test/features/migrations/{migrate,migrate-command,migrating-server,prisma-migrate,upgrade,upgrade-required}.test.ts',
  'test/upgrade/*.long.test.ts',
];
/** Tests of PostgreSQL alone. */
const POSTGRESQL = ['test/**/*postgresql*.test.ts'];
/** The build of the image: only TEST_ALL=true, as in `npm run test:all`, runs it. */
const RELEASE = ['test/deploy/image.long.test.ts'];
/** The test that reports a missing database. */
const MISSING_DATABASE = ['test/support/database/left-out.test.ts'];

const given = (variable: string) => process.env[variable] !== undefined;
const reasons: Record<DatabaseKind, string | null> = {
  sqlite: null,
  memory: null,
  postgresql: given('TEST_POSTGRES_URL') ? null : whyNoPostgresql(),
  sqlserver: given('TEST_SQLSERVER_URL') ? null : 'TEST_SQLSERVER_URL is not set',
};

/** The tests that would repeat in `npm run test:long` exactly what they do in `npm test`. */
function equalInBothSuites(): string[] {
  return globSync(TESTS, { ignore: ['**/*.long.test.ts', CONFORMANCE] }).filter(
    (path) => !readFileSync(path, 'utf8').includes('/support/effort.js'),
  );
}

/** @param isThorough whether tests run in full, for `npm run test:long` */
export function suite(isThorough: boolean): ViteUserConfig {
  const omitted = process.env['TEST_ALL'] === 'true' ? [] : RELEASE;
  const excluded = isThorough ? [...equalInBothSuites(), ...omitted] : ['**/*.long.test.ts'];
  const excludedOnOthers = isThorough
    ? excluded.filter((path) => !SLOW_ON_OTHERS.includes(path))
    : [...excluded, ...SLOW_ON_OTHERS];

  /** The tests of one database or, when it is unavailable, the test that reports the reason. */
  function project(databaseKind: DatabaseKind, include: string[], exclude: string[] = []) {
    const reason = reasons[databaseKind];
    return {
      extends: true as const,
      test: {
        name: databaseKind,
        // Files share processes: loading the server for each file takes as long as testing it.
        isolate: false,
        include: reason === null ? include : MISSING_DATABASE,
        exclude: [
          ...configDefaults.exclude,
          CONFORMANCE,
          ...exclude,
          ...(reason === null ? (databaseKind === 'sqlite' ? excluded : excludedOnOthers) : []),
        ],
        provide: { databaseKind, seed, isThorough, reason: reason ?? '' },
        globalSetup: reason === null ? ['test/support/database/database-server.ts'] : [],
      },
    };
  }

  return defineConfig({
    // Node loads the CommonJS build of graphql and Vite the ES modules: their classes differ.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    // The first condition selects packages/*/src without a build; the others are Vite's defaults.
    ssr: { resolve: { conditions: ['@parley/source', 'node', 'development|production'] } },
    test: {
      // Native modules and servers need processes.
      experimental: { fsModuleCache: true },
      pool: 'forks',
      maxWorkers: 2,
      // The only limits of tests and hooks: they end those that hang before .ci/run is ended, and no machine reaches them.
      testTimeout: isThorough ? 1_200_000 : 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: PATIENCE_MS } },
      setupFiles: ['test/support/seed.ts', 'test/support/buffer-equality.ts'],
      reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
      projects: [
        project('sqlite', [TESTS], [...POSTGRESQL, ...MISSING_DATABASE]),
        project('memory', IN_MEMORY),
        project('postgresql', [...STATEMENTS, ...PERSISTENT, ...MIGRATIONS, ...POSTGRESQL]),
        project('sqlserver', [...STATEMENTS, ...PERSISTENT]),
      ],
    },
  });
}

export default suite(false);
