/** GraphQL Code Generator's own command line in a clone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { filesOf } from '../package/files-of.js';
import { outputOf } from '../package/run.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['test/generated/graphql', 'packages/client/src/generated'];

it('npx graphql-codegen generates the files of npm run codegen', async () => {
  const before = generated();
  const args = ['--no-install', 'graphql-codegen', '--config', 'codegen.ts'];
  expect(await outputOf('npx', args, PROJECT)).toContain('Generate outputs');
  expect(generated()).toEqual(before);
});

function generated(): string[] {
  return FOLDERS.flatMap((folder) =>
    filesOf(join(PROJECT, folder)).map((path) => readFileSync(join(PROJECT, folder, path), 'utf8')),
  );
}
