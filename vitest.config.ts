import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import type { DatabaseKind } from './test/support/database/database-kind.js';
import { whyNoPostgresql } from './test/support/database/embedded-postgresql.js';
import { memoryFolder } from './test/support/memory-folder.js';

// Where to write the JSON report beside the usual output; .ci/run takes its counts from it.
const reportFile = process.env['TEST_REPORT'];
// What the values of properties are made from: always the same, but for `npm run fuzz`.
export const seed = Number(process.env['TEST_SEED'] ?? 20261121);
if (!Number.isInteger(seed)) throw new Error(`TEST_SEED must be a whole number, not "${process.env['TEST_SEED']}"`);
// For all temporary files of the tests, and of whatever they start.
const inMemory = memoryFolder();
if (inMemory !== undefined) process.env['TMPDIR'] ??= inMemory;

const TESTS = '{test,packages/*/test}/**/*.test.ts';
/** Tests with packages of their own, which `npm run conformance` runs. */
const CONFORMANCE = 'test/conformance/**';

/** What the dialects' own statements may get wrong: on every database that is a server, too. */
const STATEMENTS = [
  'test/api/{any-operations,branches,event-filters,paths,plain-lists,seeds,statements,subscriptions}.test.ts',
  'test/api/{chats,drafts,search}/*.test.ts',
  'test/api/refusals/{forged-rows,hostile-input,ownership}.test.ts',
  'test/api/refusals/forged-rows.long.test.ts',
  'test/context/{store,two-engines}.test.ts',
  'test/events/{any-follower,chat-list,draft-keeper,head-replay}.test.ts',
  'test/database/{check,constraints,deep-graphs,link-walk,message-data,outlines}.test.ts',
  'test/database/search/{any-search,empty-pages,search-work}.test.ts',
  'test/database/transactions/{long-saves,transactions}.test.ts',
  'test/interchange/{any-history,any-tree,import-in-steps,reimport}.test.ts',
  'test/interchange/forged/*.test.ts',
  'test/interchange/http/ended-rights.test.ts',
];
/** Of those, what takes long on a server, and is left to `npm run test:long` there. */
const LATER = [
  'test/api/refusals/hostile-input.test.ts',
  'test/api/refusals/ownership.test.ts',
  'test/database/check.test.ts',
  'test/interchange/forged/forged-imports.test.ts',
  'test/interchange/forged/forged-originals.test.ts',
  'test/interchange/import-in-steps.test.ts',
];
/** What is enough of a database in memory: its statements are those of the file, and its one connection is not. */
const IN_MEMORY = [
  'test/api/{readme,subscriptions}.test.ts',
  'test/context/{store,two-engines}.test.ts',
  'test/events/any-follower.test.ts',
  'test/database/{constraints,search/any-search,transactions/transactions}.test.ts',
];
/** What is only of databases that stay, and that processes share. */
const LASTING = [
  'test/cli/erase-user.test.ts',
  'test/database/{prisma-client,removal}.test.ts',
  'test/live/chat-changes.test.ts',
  'test/live/processes/{kill,kill-removal,stop,two-processes}.test.ts',
  'test/live/drafts/kill-finish.test.ts',
];
/** Of those, what is about migrations of SQLite and PostgreSQL. */
const MIGRATIONS = [
  'test/cli/migrate.test.ts',
  'test/database/migrations/{migrate,prisma-migrate,upgrade,upgrade-required}.test.ts',
  'test/upgrade/old-server.long.test.ts',
];
/** What concerns PostgreSQL alone. */
const POSTGRESQL = ['test/**/*postgresql*.test.ts'];
/** What says that a database is left out. */
const LEFT_OUT = ['test/support/database/left-out.test.ts'];

const given = (variable: string) => process.env[variable] !== undefined;
const reasons: Record<DatabaseKind, string | null> = {
  sqlite: null,
  memory: null,
  postgresql: given('TEST_POSTGRES_URL') ? null : whyNoPostgresql(),
  sqlserver: given('TEST_SQLSERVER_URL') ? null : 'TEST_SQLSERVER_URL is not set',
};

/** The tests that do nothing in `npm run test:long` but what they do in `npm test`. */
function alwaysTheSame(): string[] {
  return globSync(TESTS, { ignore: ['**/*.long.test.ts', CONFORMANCE] }).filter(
    (path) => !readFileSync(path, 'utf8').includes('/support/effort.js'),
  );
}

/** @param isThorough whether there is time for everything */
export function suite(isThorough: boolean): ViteUserConfig {
  const leftOut = isThorough ? alwaysTheSame() : ['**/*.long.test.ts'];
  const leftOutOfServers = isThorough ? leftOut.filter((path) => !LATER.includes(path)) : [...leftOut, ...LATER];

  /** The tests of one database; where it is not to be had, one that says why it is left out. */
  function project(databaseKind: DatabaseKind, include: string[], exclude: string[] = []) {
    const reason = reasons[databaseKind];
    const isServer = databaseKind === 'postgresql' || databaseKind === 'sqlserver';
    return {
      extends: true as const,
      test: {
        name: databaseKind,
        // One after the other in the same processes: loading the server anew for each file takes as long as testing it.
        isolate: false,
        include: reason === null ? include : LEFT_OUT,
        exclude: [
          ...configDefaults.exclude,
          CONFORMANCE,
          ...exclude,
          ...(reason === null ? (isServer ? leftOutOfServers : leftOut) : []),
        ],
        provide: { databaseKind, seed, isThorough, reason: reason ?? '' },
        globalSetup: reason === null ? ['test/support/database/database-server.ts'] : [],
      },
    };
  }

  return defineConfig({
    // Node takes the CommonJS build of graphql and Vite the other: two of them do not know each other's types.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    // Packages of this repository as they stand in packages/*/src, without a build; the others are Vite's own.
    ssr: { resolve: { conditions: ['@parley/source', 'node', 'development|production'] } },
    test: {
      // Native modules and servers: in processes, and no threads.
      pool: 'forks',
      maxWorkers: 2,
      // For tests that hang: no machine is too slow for these.
      testTimeout: isThorough ? 900_000 : 120_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 20_000 } },
      setupFiles: ['test/support/seed.ts'],
      reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
      projects: [
        project('sqlite', [TESTS], [...POSTGRESQL, ...LEFT_OUT]),
        project('memory', IN_MEMORY),
        project('postgresql', [...STATEMENTS, ...LASTING, ...MIGRATIONS, ...POSTGRESQL]),
        project('sqlserver', [...STATEMENTS, ...LASTING]),
      ],
    },
  });
}

export default suite(false);
