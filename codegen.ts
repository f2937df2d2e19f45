/** Types for the operations in the tests and benchmarks, from the contract in schema.graphql. */
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['test/**/*.ts', 'bench/**/*.ts', '!test/generated/**'],
  ignoreNoDocuments: true,
  importExtension: '.js',
  generates: {
    'test/generated/graphql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Operations are text, sent as a client sends them, with the types of their variables and results.
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: { ID: 'string', DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
};

export default config;
