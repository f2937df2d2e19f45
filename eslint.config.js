import { existsSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename } from 'node:path';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { allowedImports, noCircularImports } from './scripts/import-rules.mjs';

/**
 * Which part of src may import which others, and which packages of this repository. Each may import itself, and packages of
 * others; what is not listed may import nothing of src. A line below another one outranks it for the files that it names.
 */
const mayImport = {
  'main.ts': ['cli/parley.ts'],
  'server.ts': [
    'audit',
    'server',
    'server-options.ts',
    'http',
    'database/opening/database-url.ts',
    'in-process',
    'packages/context',
    'conversation',
    'limits',
    'telemetry',
  ],
  server: [
    'audit',
    'server-options.ts',
    'http',
    'auth',
    'events',
    'database',
    'files',
    'conversation',
    'limits',
    'interchange/locked-folders.ts',
    'scheduler',
    'demo',
    'telemetry',
    'webhooks',
  ],
  'import-process.ts': [
    'cli/modest-heap.ts',
    'conversation/errors.ts',
    'database/opening/open.ts',
    'files',
    'http/transfer/import-order.ts',
    'interchange',
    'packages/interchange',
  ],
  'server-options.ts': [
    'webhooks/webhook-options.ts',
    'auth',
    'http/documents/document-manifest.ts',
    'limits/limits.ts',
    'telemetry/operation-entry.ts',
  ],
  'secret-files.ts': ['message-of.ts'],
  'config.ts': [
    'secret-files.ts',
    'auth',
    'database/opening/database-url.ts',
    'http/documents/document-manifest.ts',
    'limits',
    'http/files/shared-secret.ts',
    'http/server/client-address.ts',
    'http/server/loopback.ts',
    'http/server/origins.ts',
    'message-of.ts',
    'telemetry/log-levels.ts',
    'webhooks/webhook.ts',
  ],
  http: [
    'audit',
    'scheduler',
    'graphql',
    'files',
    'auth',
    'events',
    'conversation',
    'limits',
    'telemetry',
    'interchange',
    'packages/interchange',
    'message-of.ts',
    'optional-package.ts',
  ],
  graphql: ['audit', 'auth', 'events', 'files', 'packages/context', 'conversation', 'limits', 'scheduler', 'search'],
  auth: ['conversation'],
  events: ['conversation', 'limits', 'scheduler/periodic.ts'],
  database: [
    'conversation',
    'files/storage',
    'limits',
    'scheduler',
    'search',
    'make-folder.ts',
    'optional-package.ts',
    'sqlite-driver.ts',
  ],
  files: ['conversation', 'limits', 'message-of.ts', 'scheduler/fair-queue.ts'],
  'files/open-files.ts': [
    'files',
    'database/opening',
    'database/files/open-contents.ts',
    'interchange/locked-folders.ts',
    'packages/interchange',
  ],
  'files/storage': [
    'interchange/exporting/write-failure.ts',
    'make-folder.ts',
    'optional-package.ts',
    'scheduler/fair-limiter.ts',
    'scheduler/fair-queue.ts',
  ],
  interchange: [
    'audit',
    'conversation',
    'files',
    'make-folder.ts',
    'scheduler',
    'packages/interchange',
    'sqlite-driver.ts',
  ],
  demo: ['database', 'conversation'],
  cli: [
    'audit',
    'sqlite-driver.ts',
    'files/storage',
    'config.ts',
    'make-folder.ts',
    'message-of.ts',
    'interchange',
    'packages/interchange',
    'demo',
    'auth',
    'events',
    'database',
    'files',
    'conversation',
  ],
  'cli/commands/start.ts': ['server.ts', 'config.ts', 'database/opening/database-url.ts', 'telemetry', 'cli'],
  'cli/commands/answer.ts': ['packages/context', 'config.ts', 'message-of.ts', 'cli'],
  'cli/answer': ['packages/context', 'packages/interchange', 'message-of.ts', 'cli/terminal.ts'],
  'cli/commands/schema.ts': ['graphql', 'cli'],
  exports: ['server.ts', 'in-process', 'conversation'],
  'exports/context.ts': ['packages/context'],
  'exports/prisma.ts': ['prisma'],
  prisma: ['generated', 'database/opening', 'optional-package.ts'],
  'in-process': ['packages/context', 'database', 'events', 'conversation', 'search', 'files', 'limits', 'scheduler'],
  limits: ['conversation/errors.ts', 'scheduler'],
  audit: ['optional-package.ts'],
  scheduler: [],
  telemetry: ['optional-package.ts'],
  webhooks: ['conversation', 'message-of.ts', 'scheduler'],
  conversation: ['search', 'packages/interchange'],
  search: [],
};

const importRules = Object.entries(mayImport).map(([part, others]) => {
  const name = others.filter((path) => path.startsWith('packages/'));
  const path = [part, ...others].map((path) => `src/${path}`);
  const message = `src/${part} may import ${others.join(', ') || 'nothing else of src'}.`;
  return {
    files: [part.endsWith('.ts') ? `src/${part}` : `src/${part}/**`],
    rules: { 'parley/allowed-imports': ['error', { path, name, message }] },
  };
});

/** Packages import other packages by name, and nothing of the server. */
const packageRules = readdirSync('packages').map((name) => {
  const path = [`packages/${name}`];
  const message = `${path} may import other packages by their names only.`;
  return {
    files: [`${path}/src/**`],
    rules: { 'parley/allowed-imports': ['error', { path, message }] },
  };
});

/** One concept a file, and the file named after it. */
const fileNames = {
  meta: { type: 'suggestion', schema: [], messages: { vague: '{{name}} says nothing of what is in it.' } },
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename);
      if (/^(utils?|helpers?|common|misc|index)\.[cm]?[jt]s$/.test(name)) {
        context.report({ node, loc: { line: 1, column: 0 }, messageId: 'vague', data: { name } });
      }
    },
  }),
};

/** Without their packages, the tests of test/conformance have no types to lint by; `npm run conformance` installs them. */
const notInstalled = existsSync('test/conformance/node_modules') ? [] : ['test/conformance/'];

const message = 'The environment is read by src/config.ts alone.';

export default defineConfig(
  {
    ignores: ['**/dist/', 'coverage/', 'data/', '**/generated/', '**/.next/', '**/next-env.d.ts'].concat(notInstalled),
  },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: {
      parley: {
        rules: {
          'allowed-imports': allowedImports,
          'file-names': fileNames,
          'no-circular-imports': noCircularImports,
        },
      },
    },
  },
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // A function that is async by contract has nothing to await in its simplest implementation.
      '@typescript-eslint/require-await': 'off',
      // Parts are taken apart by destructuring: they are closures, and have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      'parley/file-names': 'error',
      'parley/no-circular-imports': 'error',
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message }],
      'no-restricted-imports': [
        'error',
        {
          paths: ['process', 'node:process'].map((name) => ({ name, importNames: ['env'], message })),
        },
      ],
      'parley/allowed-imports': [
        'error',
        { path: [], name: [], message: 'This part of src has no line in eslint.config.js.' },
      ],
    },
  },
  ...importRules,
  ...packageRules,
  {
    // They run in browsers, too; interchange reads files and needs Node.
    files: ['packages/*/src/**'],
    ignores: ['packages/interchange/**'],
    rules: { 'no-restricted-imports': ['error', { paths: builtinModules, patterns: ['node:*'] }] },
  },
  {
    files: ['src/config.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-imports': 'off' },
  },
  {
    files: ['test/**', 'packages/*/test/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ group: ['**/src/main.js'], message: 'Use src/server.ts.' }] }],
      // Where there is nothing after all, a test fails, as it should.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // These print for a living.
    files: [
      'src/server/settings.ts',
      'src/cli/**',
      'test/bench/**',
      'test/soak/**',
      'test/fuzz/**',
      'test/mutation/**',
      'scripts/**',
      'packages/*/scripts/**',
      '.ci/**',
      'test/package/consumer/**',
      'examples/**',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // These import packages by their names: npm run typecheck and test/package check their types.
    files: ['**/*.{js,mjs}', 'test/package/consumer/**', 'examples/{chat-react,next-chat}/**'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
