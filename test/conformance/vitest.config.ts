/** The tests that need the packages of this folder; all other options are those of the project's tests. */
import { dirname, join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import project, { seed } from '../../vitest.config.js';
import { distributedProject } from '../../vitest.partitions.config.js';

const { projects, ...shared } = project.test ?? {};

/** The folder and the file extension of each version of the AI SDK; the tests run with all of them. */
const AI_SDKS = {
  'ai 5': { folder: 'node_modules/ai-v5', ending: 'mjs' },
  'ai 6': { folder: 'node_modules/ai', ending: 'mjs' },
  // Its packages require Node 22 but run on Node 20. They have a separate lock file, because npm warns about them.
  'ai 7': { folder: 'ai-7/node_modules/ai', ending: 'js' },
};
const AI_TESTS = ['test/conformance/client/{client-ai*,answer-handler*}.test.ts', 'packages/client/test/ai/*.test.ts'];

/** Takes as long as `npm test` on each version: .ci/run leaves it to `npm run test:all`. */
const NODE_VERSIONS = 'test/conformance/node-versions.test.ts';

/** Run on Citus, if TEST_CITUS_URL names a database of its coordinator: see docs/scale.md. */
const CITUS_TESTS = [
  'test/conformance/citus/*.test.ts',
  // The rules of graphs.
  'test/graphs/*.test.ts',
  'test/features/usage/monthly-usage.test.ts',
  'test/features/forks/*.test.ts',
  'test/api/{any-operations,branches,edits,paths,plain-lists,seeds}.test.ts',
  'test/api/chats/*.test.ts',
  // Searches.
  'test/api/search/*.test.ts',
  'test/database/search/{any-search,empty-pages}.test.ts',
  // Races and kills.
  'test/database/transactions/{contention-postgresql,long-saves,transactions}.test.ts',
  'test/live/processes/{kill,stop}.test.ts',
  'test/live/processes/{kill-filling,kill-removal,two-processes}.long.test.ts',
  // Live events.
  'test/api/{event-subscriptions,subscriptions}.test.ts',
  'test/events/{any-follower,chat-list,chat-list-streams,head-replay}.test.ts',
  'test/live/chat-changes.test.ts',
  // Drafts.
  'test/features/drafts/{any-drafts,drafts,draft-{keeper,limits.long,list-subscriptions,places,subscriptions}}.test.ts',
  'test/features/drafts/live/kill-finish.long.test.ts',
  'test/features/copies/copy-postgresql.long.test.ts',
  // The life of chats and users.
  'test/database/{digests,fills,title-words,removal/*}.test.ts',
  'test/features/quotas/storage-quota.test.ts',
  'test/features/retention/{legal-holds,retention,retention-api}.test.ts',
  'test/features/exports/export-route.test.ts',
  'test/features/deletion/{erase-route,erase-user,erased-ids,recovery}.test.ts',
  'test/features/{shares/shares,webhooks/webhooks}.test.ts',
  'test/features/members/{members,roles}.test.ts',
  'test/features/access-tokens/{access-tokens,chat-access-tokens}.test.ts',
  // Files, imports and exports.
  'test/features/files/{files,imported-files,life-cycle}.test.ts',
  'test/features/imports/{any-history,any-tree,forked-chats,parley-format,reimport}.test.ts',
  'test/features/imports/{forged,killed,steps}/*.test.ts',
  'test/features/imports/http/{ended-rights,import-postgresql}.test.ts',
];

export default defineConfig({
  resolve: project.resolve ?? {},
  ssr: project.ssr ?? {},
  root: dirname(dirname(import.meta.dirname)),
  test: {
    ...shared,
    // Installations, compilers and other versions of Node.
    testTimeout: 1_800_000,
    provide: { databaseKind: 'sqlite', seed },
    projects: [
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            'test/conformance/generated/**',
            'test/conformance/citus/**',
            NODE_VERSIONS,
            ...AI_TESTS,
          ],
        },
      },
      ...Object.entries(AI_SDKS).map(([name, { folder, ending }]) => ({
        extends: true as const,
        resolve: {
          alias: [
            { find: /^ai(\/test)?$/, replacement: join(import.meta.dirname, `${folder}/dist$1/index.${ending}`) },
          ],
        },
        // Files share processes, as in vitest.config.ts.
        test: { name, include: AI_TESTS, isolate: false },
      })),
      { extends: true, test: { name: 'node-versions', include: [NODE_VERSIONS] } },
      distributedProject('citus', CITUS_TESTS),
    ],
  },
});
