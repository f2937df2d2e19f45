/** The command lines of code generators: with codegen.ts, and with the documented configurations for DateTime and JSON. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programsOf, readDocument } from '../../context/docs/docs-examples.js';
import { run } from '../../package/run.js';
import { programFolder } from '../documented-programs.js';
import { compileRelay } from './relay-compiler.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CODEGEN = join(ROOT, 'test/conformance/node_modules/@graphql-codegen/cli/esm/bin.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const READ = `query ScalarsQuery {
  chat(id: "demo") {
    createdAt
    metadata
  }
}`;
const WRITE = `mutation MarkMutation($metadata: JSON!) {
  updateChat(input: { chatId: "demo", metadata: $metadata }) {
    __typename
  }
}`;

test('the command line of GraphQL Code Generator writes the same files as npm run codegen', () => {
  execFileSync(process.execPath, [CODEGEN, '--check', '--errors-only'], { cwd: ROOT });
});

test('GraphQL Code Generator writes strings and unknown values', async () => {
  const folder = programFolder('scalar-types');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('codegen.ts', programsOf(readDocument('docs/graphql.md')).get('codegen.ts')!);
  mkdirSync(join(folder, 'node_modules/@parley/client'), { recursive: true });
  cpSync(join(ROOT, 'schema.graphql'), join(folder, 'node_modules/@parley/client/schema.graphql'));
  write(
    'src/documents.ts',
    `import { graphql } from './graphql/gql.js';
export const Scalars = graphql(\`${READ}\`);
export const Mark = graphql(\`${WRITE}\`);
`,
  );
  write(
    'src/uses.ts',
    `import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core';
import type { Mark, Scalars } from './documents.js';
type Chat = NonNullable<ResultOf<typeof Scalars>['chat']>;
export const createdAt = (chat: Chat): string => chat.createdAt;
export const metadata = (chat: Chat): unknown => chat.metadata;
export const variables: VariablesOf<typeof Mark> = { metadata: { tags: ['a', 1, null] } };
// @ts-expect-error A JSON value has no fields until its shape is checked.
export const tags = (chat: Chat) => chat.metadata.tags;
// @ts-expect-error A DateTime is a string.
export const time = (chat: Chat): Date => chat.createdAt;
`,
  );
  execFileSync(process.execPath, [CODEGEN, '--config', 'codegen.ts', '--errors-only'], { cwd: folder });
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
  const args = [TSC, ...options, '--skipLibCheck', '--ignoreConfig', 'codegen.ts', 'src/uses.ts'];
  expect(await run(process.execPath, args, folder)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test("Relay's compiler writes strings and unknown values", () => {
  const artifacts = compileRelay(programFolder('relay-scalar-types'), [
    ['Scalars', READ],
    ['Mark', WRITE],
  ]);
  const typesOf = (name: string) => readFileSync(join(artifacts, `${name}.graphql.ts`), 'utf8');
  expect(typesOf('ScalarsQuery')).toContain('readonly createdAt: string;\n    readonly metadata: unknown;');
  expect(typesOf('MarkMutation')).toContain('metadata: unknown;');
});
