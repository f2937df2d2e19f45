import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  OverlappingFieldsCanBeMergedRule,
  parse,
  printSchema,
  validate,
  type GraphQLAbstractType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type IntrospectionQuery,
} from 'graphql';
import { expect, test } from 'vitest';
import { cacheFiles, contractText } from '../../src/cli/schema-files.js';
import { schema } from '../../src/server/schema.js';

const committed = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));

test('schema.graphql equals the output of `npm run schema`', () => {
  expect(committed('schema.graphql')).toBe(contractText(schema));
});

test('introspection.json contains the whole schema except its descriptions', () => {
  const introspected = buildClientSchema(JSON.parse(cacheFiles(schema)['introspection.json']!) as IntrospectionQuery);
  const whole = buildSchema(committed('schema.graphql').replaceAll(/^ *"{3}[^]*?"{3}$/gm, ''));
  expect(printSchema(lexicographicSortSchema(introspected))).toBe(printSchema(lexicographicSortSchema(whole)));
});

test('CHANGELOG.md has the description of each breaking change since the last released schema', () => {
  const archive = fileURLToPath(new URL('../upgrade/old-server.tar.gz', import.meta.url));
  const released = buildSchema(execFileSync('tar', ['-xzOf', archive, './schema.graphql'], { encoding: 'utf8' }));
  const changes = findBreakingChanges(released, buildSchema(committed('schema.graphql')));
  const changelog = committed('CHANGELOG.md');
  expect(changes.map(({ description }) => description).filter((text) => !changelog.includes(text))).toEqual([]);
});

test('the schema itself requires exactly one of text and data', () => {
  const content = schema.getType('MessageContent');
  expect(isInputObjectType(content) && content.isOneOf).toBe(true);
});

test('every type, field, argument and value has a description', () => {
  const silent = types.flatMap(partsOf).filter(({ description }) => !description);
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('every text and JSON in an input states its limit', () => {
  const inputs = types.flatMap((type): { of: GraphQLNamedType; field: GraphQLArgument | GraphQLInputField }[] => {
    if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => ({ of: type, field }));
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ args }) => args.map((field) => ({ of: type, field })));
  });
  const texts = inputs.filter(({ field }) => ['String', 'JSON'].includes(getNamedType(field.type).name));
  // Cursors are those of the server.
  const given = texts.filter(({ field }) => field.name !== 'after' && field.name !== 'before');
  expect(given.length).toBeGreaterThan(40);
  const silent = given.filter(({ field }) => !/\d (characters|[KM]iB)/.test(field.description ?? ''));
  expect(silent.map(({ of, field }) => `${of.name}.${field.name}`)).toEqual([]);
});

test('every scalar has the URL of its specification', () => {
  const own = types.filter(isScalarType).filter((type) => !isSpecifiedScalarType(type));
  expect(own.filter(({ specifiedByURL }) => !specifiedByURL).map(({ name }) => name)).toEqual([]);
});

test("one selection can contain all shared fields of an interface's or union's members", () => {
  expect(types.filter(isAbstractType).flatMap(conflicts)).toEqual([
    // Queries for a node by id select one type.
    'Node.branch',
    'Node.branches',
    'Node.checkpoints',
    'Node.contentHash',
    'Node.createdBy',
    'Node.latestLeaf',
    'Node.message',
    'Node.metadata',
  ]);
});

interface Part {
  path: string;
  description?: string | null | undefined;
}

/** A type and all of its parts. */
function partsOf(type: GraphQLNamedType): Part[] {
  const { name, description } = type;
  const own = { path: name, description };
  if (isEnumType(type)) return [own, ...type.getValues().map((value) => partOf(name, value))];
  if (!('getFields' in type)) return [own];
  const fields = Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields());
  const parts = fields.flatMap((field) => {
    const args = 'args' in field ? field.args : [];
    return [partOf(name, field), ...args.map((arg) => partOf(`${name}.${field.name}`, arg))];
  });
  return [own, ...parts];
}

function partOf(parent: string, { name, description }: { name: string } & Pick<Part, 'description'>): Part {
  return { path: `${parent}.${name}`, description };
}

/** The fields of several members that cannot be selected together. */
function conflicts(type: GraphQLAbstractType): string[] {
  const names = schema.getPossibleTypes(type).flatMap((member) => Object.keys(member.getFields()));
  const shared = [...new Set(names.filter((name, at) => names.indexOf(name) < at))].sort();
  return shared.filter((name) => !isMergeable(type, name)).map((name) => `${type.name}.${name}`);
}

function isMergeable(type: GraphQLAbstractType, name: string): boolean {
  const selections = schema.getPossibleTypes(type).flatMap((member) => {
    const field = member.getFields()[name];
    if (field === undefined) return [];
    const within = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
    return [`... on ${member.name} { ${name}${within} }`];
  });
  const document = parse(`fragment shared on ${type.name} { ${selections.join(' ')} }`);
  return validate(schema, document, [OverlappingFieldsCanBeMergedRule]).length === 0;
}
