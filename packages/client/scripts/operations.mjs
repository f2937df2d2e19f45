/**
 * Writes src/generated/operations.ts from operations.graphql and the contract: each operation as a text with the types
 * of its variables and of what it answers. Fragments are texts of their own, so that a bundle has each of them once.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(folder, 'src/generated/operations.ts');
const sources = [
  join(folder, '../../schema.graphql'),
  join(folder, 'operations.graphql'),
  fileURLToPath(import.meta.url),
];
const [sdl, text] = sources.map((path) => readFileSync(path, 'utf8'));
const madeFrom = sources
  .reduce((hash, path) => hash.update(readFileSync(path)), createHash('sha256'))
  .update(existsSync(target) ? readFileSync(target) : '')
  .digest('hex');
// What is written is kept with the sources; that it is of the contract as it stands is noted beside it.
const stamp = join(folder, '../../test/generated/client-operations');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) await write();

async function write() {
  const [{ codegen }, operations, { buildSchema, parse, print, stripIgnoredCharacters, visit }] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript-operations'),
    import('graphql'),
  ]);
  const document = parse(text);
  const types = await codegen({
    filename: target,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: [{ location: 'operations.graphql', document }],
    config: {
      useTypeImports: true,
      enumsAsTypes: true,
      strictScalars: true,
      skipTypename: true,
      scalars: { ID: 'string', DateTime: 'string', JSON: 'unknown' },
    },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const fragments = new Map(
    document.definitions
      .filter(({ kind }) => kind === 'FragmentDefinition')
      .map((definition) => [definition.name.value, definition]),
  );
  const short = (definition) => JSON.stringify(stripIgnoredCharacters(print(definition)));
  const constant = (name) => `${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`;
  const consts = [...fragments].map(([name, definition]) => `const ${constant(name)} = ${short(definition)};`);
  const texts = document.definitions
    .filter(({ kind }) => kind === 'OperationDefinition')
    .map((definition) => {
      const name = definition.name.value;
      const suffix = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[definition.operation];
      const body = [short(definition), ...usedBy(definition).map(constant)].join(' + ');
      return `export const ${name} = /* @__PURE__ */ operation<${name}${suffix}, ${name}${suffix}Variables>(\n  ${body},\n);`;
    });
  const head = `/* eslint-disable */\n// Written by scripts/operations.mjs from operations.graphql.\nimport { operation } from '../connection/operation.js';\n`;
  mkdirSync(dirname(target), { recursive: true });
  const written = [head, types, ...consts, ...texts, ''].join('\n');
  writeFileSync(target, written);
  const hash = sources.reduce((sum, path) => sum.update(readFileSync(path)), createHash('sha256'));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash.update(written).digest('hex'));

  /** The fragments that a definition needs, those of fragments included. */
  function usedBy(definition, found = new Set()) {
    visit(definition, {
      FragmentSpread({ name: { value } }) {
        if (found.has(value)) return;
        found.add(value);
        usedBy(fragments.get(value), found);
      },
    });
    return [...found];
  }
}
