/** The tests of PostgreSQL, on the distributed form with hash partitions: see docs/databases.md. */
import { configDefaults, defineConfig } from 'vitest/config';
import project, { PERSISTENT, seed, STATEMENTS } from './vitest.config.js';

const { projects: _, ...shared } = project.test ?? {};

/** Tests of PostgreSQL that the distributed form cannot pass. */
const LEFT_OUT = [
  // Names of keys, and keys that do not contain the chat: test/features/distribution has those of the form.
  'test/database/constraints.test.ts',
  // They change the chats of rows, which moves these to other partitions.
  'test/database/check.test.ts',
  'test/api/refusals/forged-rows*.test.ts',
];

/** Tests on the distributed form; on Citus only if TEST_CITUS_URL is set. */
export function distributedProject(name: 'partitions' | 'citus', tests: readonly string[]) {
  const isMissing = name === 'citus' && process.env['TEST_CITUS_URL'] === undefined;
  const support = 'test/support/database';
  return {
    extends: true as const,
    test: {
      name,
      isolate: false,
      include: isMissing ? [`${support}/left-out.test.ts`] : [...tests],
      exclude: [...configDefaults.exclude, ...LEFT_OUT],
      setupFiles: isMissing ? [] : ['test/features/distribution/prepare.ts'],
      globalSetup: isMissing ? [] : [`${support}/database-server.ts`],
      provide: {
        databaseKind: 'postgresql' as const,
        distributedForm: name,
        seed,
        isThorough: false,
        reason: isMissing ? 'TEST_CITUS_URL is not set' : '',
      },
    },
  };
}

export default defineConfig({
  ...project,
  test: { ...shared, projects: [distributedProject('partitions', [...STATEMENTS, ...PERSISTENT])] },
});
