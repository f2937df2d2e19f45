/**
 * Runs codegen.ts like the command line of GraphQL Code Generator, in a fraction of its time. Writes when an operation, the
 * schema, the configuration or an output has changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { globSync } from 'tinyglobby';
import './typescript.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { default: config } = await import('../codegen.ts');
const outputs = Object.entries(config.generates);
const STAMP = 'test/generated/.made-from';

if (!existsSync(join(root, STAMP)) || read(STAMP) !== stateOfFiles()) {
  console.error('Writing the types of the operations…');
  // After an interrupted run, everything is written again.
  rmSync(join(root, STAMP), { force: true });
  await write();
  writeFileSync(join(root, STAMP), stateOfFiles());
}

async function write() {
  const [{ codegen }, { buildSchema, parse }] = await Promise.all([import('@graphql-codegen/core'), import('graphql')]);
  const sdl = read(config.schema);
  const common = { schema: parse(sdl), schemaAst: buildSchema(sdl) };
  for (const [path, output] of outputs) {
    const documents = documentsOf(output).flatMap(operationsOf);
    const options = {
      ...common,
      documents: documents.map((each) => ({ ...each, document: parse(each.rawSDL) })),
      config: { ...config.config, ...output.config },
    };
    for (const section of await sectionsOf(path, output, options)) {
      mkdirSync(join(root, dirname(section.filename)), { recursive: true });
      writeFileSync(join(root, section.filename), await codegen(section));
    }
  }
}

/** The files of one output: a preset has several. */
async function sectionsOf(path, { preset: name, presetConfig, plugins = [] }, options) {
  const pluginMap = Object.fromEntries(
    await Promise.all(plugins.map(async (plugin) => [plugin, await import(moduleOf(plugin))])),
  );
  const section = { ...options, plugins: plugins.map((plugin) => ({ [plugin]: {} })), pluginMap };
  if (name === undefined) return [{ ...section, filename: path }];
  const { preset } = await import(moduleOf(`${name}-preset`));
  return preset.buildGeneratesSection({ ...section, baseOutputDir: path, presetConfig });
}

function moduleOf(name) {
  return name.startsWith('.') ? pathToFileURL(join(root, name)).href : `@graphql-codegen/${name}`;
}

function documentsOf({ documents = [] }) {
  return globSync(documents, { cwd: root }).sort();
}

/** The operations of a file: all of a .graphql file, or the arguments of `graphql` in TypeScript. */
function operationsOf(location) {
  const text = read(location);
  if (location.endsWith('.graphql')) return [{ location, rawSDL: text }];
  return Array.from(text.matchAll(/\bgraphql\(\s*`([^`]*)`/g), ([, rawSDL]) => ({ location, rawSDL }));
}

/** A hash of all inputs and outputs. */
function stateOfFiles() {
  const plugins = outputs.flatMap(([, output]) => output.plugins ?? []).filter((name) => name.startsWith('.'));
  const sources = [config.schema, 'codegen.ts', 'scripts/codegen.mjs', 'package-lock.json', ...plugins].map(read);
  const operations = outputs.flatMap(([, output]) => documentsOf(output).flatMap(operationsOf));
  const written = outputs.flatMap(([path]) => filesOf(path)).map(read);
  const hash = createHash('sha256');
  for (const text of [...sources, ...operations.map(({ rawSDL }) => rawSDL), ...written]) hash.update(text);
  return hash.digest('hex');
}

/** An output that is a folder has its files. */
function filesOf(path) {
  const place = join(root, path);
  if (!existsSync(place)) return [];
  return statSync(place).isDirectory()
    ? readdirSync(place)
        .sort()
        .map((name) => join(path, name))
    : [path];
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
