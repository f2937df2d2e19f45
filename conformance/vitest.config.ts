/** The tests that want the packages of this folder; all else is as in the tests of the project. */
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import project, { seed } from '../vitest.config.js';

const { projects, ...shared } = project.test ?? {};

export default defineConfig({
  resolve: project.resolve ?? {},
  ssr: project.ssr ?? {},
  root: dirname(import.meta.dirname),
  test: { ...shared, include: ['conformance/*.test.ts'], provide: { databaseKind: 'sqlite', seed } },
});
