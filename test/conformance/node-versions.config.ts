/**
 * The suites that run on other versions of Node without better-sqlite3, which is compiled only for the installed Node.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import project from '../../vitest.config.js';

/** Tests that open a SQLite file, some of them as the lock of an import's temporary folder. */
const WITH_SQLITE = [
  'packages/{client/test/**/{docs,transfer},interchange/test/**/read-conversations}.test.ts',
  'test/features/prisma/prisma-client.test.ts',
  'test/features/migrations/upgrade-required.test.ts',
  'test/features/imports/http/import-postgresql.test.ts',
  'test/features/imports/original/original-postgresql.test.ts',
];

const { projects = [], ...shared } = project.test ?? {};
const postgresql = (projects as TestProjectInlineConfiguration[]).find(({ test }) => test?.name === 'postgresql');
if (postgresql === undefined) throw new Error('vitest.config.ts must have a project named postgresql');
const exclude = [...(postgresql.test?.exclude ?? []), ...WITH_SQLITE];

export default defineConfig({
  resolve: project.resolve ?? {},
  ssr: project.ssr ?? {},
  test: {
    ...shared,
    // The suite of the other version, or tests in a browser, run beside it.
    maxWorkers: 1,
    projects: [
      { ...postgresql, test: { ...postgresql.test, exclude } },
      {
        ...postgresql,
        test: { ...postgresql.test, exclude, name: 'packages', include: ['packages/*/test/**/*.test.ts'] },
      },
    ],
  },
});
