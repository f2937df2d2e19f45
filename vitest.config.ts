import { defineConfig } from 'vitest/config';

// Where to write the JSON report beside the usual output; .ci/run takes its counts from it.
const reportFile = process.env['TEST_REPORT'];

export default defineConfig({
  // Node takes the CommonJS build of graphql and Vite the other: two of them do not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Native modules and servers: each file in a process of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
  },
});
