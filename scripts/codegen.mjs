/**
 * Types for the operations in the tests, from the contract in schema.graphql, into test/generated. What writes them is
 * loaded when an operation, the contract or it itself has changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../packages/client/scripts/operations.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = 'test/generated/graphql/';
const stamp = join(root, FOLDER, '.made-from');

const sdl = read('schema.graphql');
const operations = filesOf('test').flatMap(operationsOf);
const madeFrom = [
  sdl,
  ...operations.map(({ rawSDL }) => rawSDL),
  read('package-lock.json'),
  read('scripts/codegen.mjs'),
]
  .reduce((hash, text) => hash.update(text), createHash('sha256'))
  .digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) {
  console.error('Writing the types of the operations in the tests…');
  await write();
}

async function write() {
  const [{ codegen }, { preset }, { buildSchema, parse }] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/client-preset'),
    import('graphql'),
  ]);
  const outputs = await preset.buildGeneratesSection({
    baseOutputDir: FOLDER,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: operations.map((operation) => ({ ...operation, document: parse(operation.rawSDL) })),
    presetConfig: { fragmentMasking: false },
    config: {
      importExtension: '.js',
      // Operations are text, sent as a client sends them, with the types of their variables and results.
      documentMode: 'string',
      useTypeImports: true,
      enumsAsTypes: true,
      strictScalars: true,
      scalars: { ID: 'string', DateTime: 'string', JSON: 'unknown' },
    },
    plugins: [],
    pluginMap: {},
  });
  mkdirSync(join(root, FOLDER), { recursive: true });
  // Without its stamp, what was left half written is written again.
  rmSync(stamp, { force: true });
  for (const output of outputs) writeFileSync(join(root, output.filename), await codegen(output));
  writeFileSync(stamp, madeFrom);
}

/** The TypeScript below a folder, but for what is written here. */
function filesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && !path.startsWith(join('test', 'generated')))
    .sort();
}

function operationsOf(location) {
  return Array.from(read(location).matchAll(/\bgraphql\(\s*`([^`]*)`/g), ([, rawSDL]) => ({ location, rawSDL }));
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
