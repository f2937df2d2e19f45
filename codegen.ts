/**
 * The configuration of GraphQL Code Generator: types for the operations in the tests, and the operations of packages/client and
 * packages/explorer.
 * `npm run codegen` runs it, and so does `npx graphql-codegen`.
 */
import type { Types } from '@graphql-codegen/plugin-helpers';

const config: Types.Config = {
  schema: 'schema.graphql',
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    strictScalars: true,
    scalars: { ID: 'string', DateTime: 'string', JSON: 'unknown' },
  },
  generates: {
    'test/generated/graphql/': {
      documents: ['test/**/*.ts', '!test/{generated,conformance}/**', '!test/**/node_modules/**'],
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      // The tests send operations as text, as clients do.
      config: { importExtension: '.js', documentMode: 'string' },
    },
    'packages/client/src/generated/operations.ts': {
      documents: 'packages/client/operations.graphql',
      plugins: ['typescript-operations', './packages/client/scripts/operation-texts.mjs'],
      config: { skipTypename: true },
    },
    'packages/explorer/src/generated/operations.ts': {
      documents: 'packages/explorer/operations.graphql',
      plugins: ['typescript-operations', './packages/client/scripts/operation-texts.mjs'],
      // GraphiQL shows them.
      config: { skipTypename: true, operationFrom: '@parley/client', isIndented: true },
    },
    'packages/client/src/generated/possible-types.ts': {
      plugins: ['./packages/client/scripts/possible-types.mjs'],
    },
    'packages/client/src/generated/introspection.ts': {
      plugins: ['./packages/client/scripts/introspection.mjs'],
    },
  },
};

export default config;
