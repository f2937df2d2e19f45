import { configDefaults, defineConfig } from 'vitest/config';
import type { DatabaseKind } from './test/support/database-kind.js';
import { whyNoPostgresql } from './test/support/embedded-postgresql.js';

// Where to write the JSON report beside the usual output; .ci/run takes its counts from it.
const reportFile = process.env['TEST_REPORT'];
// What the values of properties are made from: always the same, but for `npm run fuzz`.
export const seed = Number(process.env['TEST_SEED'] ?? 20261121);
if (!Number.isInteger(seed)) throw new Error(`TEST_SEED must be a whole number, not "${process.env['TEST_SEED']}"`);

/** What is the same on every database. */
const BEHAVIOUR = [
  'test/api/**/*.test.ts',
  'test/context/{engine,store,two-engines}.test.ts',
  'test/events/any-follower.test.ts',
  'test/database/{any-search,constraints,deep-graphs,empty-pages,message-data,transactions}.test.ts',
  'test/interchange/{any-tree,import-bounds,reimport}.test.ts',
];
/** What is enough of a database in memory: its statements are those of the file, and its one connection is not. */
const IN_MEMORY = [
  'test/api/{context,readme,search,seeds,statements,subscriptions}.test.ts',
  'test/context/{engine,store,two-engines}.test.ts',
  'test/events/any-follower.test.ts',
  'test/database/{any-search,constraints,empty-pages,transactions}.test.ts',
];
/** What is only of databases that stay, and that processes share. */
const LASTING = [
  'test/cli/{erase-user,migrate}.test.ts',
  'test/database/{migrate,prisma-migrate,removal,upgrade}.test.ts',
  'test/live/{kill,kill-removal,stop,two-processes}.test.ts',
];
/** What concerns PostgreSQL alone. */
const POSTGRESQL = ['test/**/*postgresql*.test.ts'];
/** What needs nothing but the sources, in many files: loaded once. */
const SOURCES = ['test/{audit,auth,context,contract,limits,unit}/**/*.test.ts'];
/** What says that a database is left out. */
const LEFT_OUT = ['test/support/left-out.test.ts'];

const given = (variable: string) => process.env[variable] !== undefined;
const reasons: Record<DatabaseKind, string | null> = {
  sqlite: null,
  memory: null,
  postgresql: given('TEST_POSTGRES_URL') ? null : whyNoPostgresql(),
  sqlserver: given('TEST_SQLSERVER_URL') ? null : 'TEST_SQLSERVER_URL is not set',
};

/** The tests of one database; where it is not to be had, one that says why it is left out. */
function project(databaseKind: DatabaseKind, include: string[]) {
  const reason = reasons[databaseKind];
  return {
    extends: true as const,
    test: {
      name: databaseKind,
      // One after the other in the same processes: loading the server anew for each file takes as long as testing it.
      isolate: false,
      include: reason === null ? include : LEFT_OUT,
      provide: { databaseKind, seed, reason: reason ?? '' },
      globalSetup: reason === null ? ['test/support/database-server.ts'] : [],
    },
  };
}

export default defineConfig({
  // Node takes the CommonJS build of graphql and Vite the other: two of them do not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // Native modules and servers: each file in a process of its own.
    pool: 'forks',
    maxWorkers: 2,
    // For tests that hang: no machine is too slow for these.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/support/seed.ts'],
    reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'once',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...BEHAVIOUR, ...LASTING, ...POSTGRESQL, ...SOURCES, ...LEFT_OUT],
          provide: { databaseKind: 'sqlite', seed },
        },
      },
      {
        extends: true,
        test: {
          name: 'sources',
          isolate: false,
          include: SOURCES,
          exclude: [...configDefaults.exclude, ...BEHAVIOUR, ...POSTGRESQL],
          provide: { databaseKind: 'sqlite', seed },
        },
      },
      project('sqlite', [...BEHAVIOUR, ...LASTING]),
      project('memory', IN_MEMORY),
      project('postgresql', [...BEHAVIOUR, ...LASTING, ...POSTGRESQL]),
      project('sqlserver', BEHAVIOUR),
    ],
  },
});
