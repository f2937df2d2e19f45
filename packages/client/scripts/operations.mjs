/**
 * Writes src/generated from operations.graphql and the contract. operations.ts: each operation as a text with the types
 * of its variables and of what it answers; fragments are texts of their own, so that a bundle has each of them once.
 * possible-types.ts and introspection.ts: what normalized caches want to know of the contract.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const written = ['operations.ts', 'possible-types.ts', 'introspection.ts'].map((name) =>
  join(folder, 'src/generated', name),
);
const [target, possibleTypesFile, introspectionFile] = written;
/** The type of the introspection: that of the value itself would be as long as the value. */
const INTROSPECTION =
  '{ __schema: { types: { kind: string; name: string; fields?: { name: string; type: object; args: [] }[]; [more: string]: unknown }[]; [root: string]: unknown } }';
const sources = [
  join(folder, '../../schema.graphql'),
  join(folder, 'operations.graphql'),
  fileURLToPath(import.meta.url),
];
const [sdl, text] = sources.map((path) => readFileSync(path, 'utf8'));
const madeFrom = sources
  .reduce((hash, path) => hash.update(readFileSync(path)), createHash('sha256'))
  .update(contents())
  .digest('hex');
// What is written is kept with the sources; that it is of the contract as it stands is noted beside it.
const stamp = join(folder, '../../test/generated/client-operations');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) await write();

async function write() {
  const [{ codegen }, operations, graphql] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript-operations'),
    import('graphql'),
  ]);
  const { buildSchema, parse, print, stripIgnoredCharacters, visit } = graphql;
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
  writeFileSync(target, [head, types, ...consts, ...texts, ''].join('\n'));
  const { possibleTypes, introspection } = factsOf(buildSchema(sdl), graphql);
  const constantFile = (name, value) =>
    `/* eslint-disable */\n// Written by scripts/operations.mjs from the contract.\nexport const ${name} = ${JSON.stringify(value)};\n`;
  writeFileSync(possibleTypesFile, constantFile('possibleTypes', possibleTypes));
  writeFileSync(introspectionFile, constantFile(`introspection: ${INTROSPECTION}`, introspection));
  const hash = sources.reduce((sum, path) => sum.update(readFileSync(path)), createHash('sha256'));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash.update(contents()).digest('hex'));

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

/** All that was written, as it stands. */
function contents() {
  return written.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')).join('');
}

/** The types of each interface and union, and as much of the introspection as a cache reads: neither arguments nor descriptions. */
function factsOf(
  schema,
  { isAbstractType, isCompositeType, isInterfaceType, isListType, isNonNullType, isObjectType },
) {
  const composite = Object.values(schema.getTypeMap()).filter(
    (type) => isCompositeType(type) && !type.name.startsWith('__'),
  );
  const named = (type) => ({ kind: kindOf(type), name: type.name });
  const kindOf = (type) =>
    isObjectType(type) ? 'OBJECT' : isInterfaceType(type) ? 'INTERFACE' : isAbstractType(type) ? 'UNION' : 'SCALAR';
  // A scalar or an enum is a value to a cache, whichever it is.
  const typeRef = (type) => {
    if (isNonNullType(type)) return { kind: 'NON_NULL', ofType: typeRef(type.ofType) };
    if (isListType(type)) return { kind: 'LIST', ofType: typeRef(type.ofType) };
    return isCompositeType(type) ? named(type) : { kind: 'SCALAR', name: 'Any' };
  };
  const types = composite.map((type) => ({
    ...named(type),
    ...(type.getFields && {
      fields: Object.values(type.getFields()).map(({ name, type }) => ({
        name,
        type: typeRef(type),
        args: [],
      })),
      interfaces: type.getInterfaces().map(named),
    }),
    ...(isAbstractType(type) && { possibleTypes: schema.getPossibleTypes(type).map(named) }),
  }));
  const root = (type) => type && { name: type.name };
  return {
    possibleTypes: Object.fromEntries(
      composite
        .filter(isAbstractType)
        .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
    ),
    introspection: {
      __schema: {
        queryType: root(schema.getQueryType()),
        mutationType: root(schema.getMutationType()),
        subscriptionType: root(schema.getSubscriptionType()),
        types: [...types, { kind: 'SCALAR', name: 'Any' }],
      },
    },
  };
}
