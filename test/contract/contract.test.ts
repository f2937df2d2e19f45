import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isScalarType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  OverlappingFieldsCanBeMergedRule,
  parse,
  printSchema,
  validate,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type IntrospectionQuery,
} from 'graphql';
import { expect, test } from 'vitest';
import { cacheFiles, contractText } from '../../src/cli/schema-files.js';
import { schema } from '../../src/graphql/schema.js';

const committed = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));

test('schema.graphql equals the output of `npm run schema`', () => {
  expect(committed('schema.graphql')).toBe(contractText(schema));
});

test('introspection.json contains the whole schema except its descriptions', () => {
  const told = buildClientSchema(JSON.parse(cacheFiles(schema)['introspection.json']!) as IntrospectionQuery);
  const whole = buildSchema(committed('schema.graphql').replaceAll(/^ *\"{3}[^]*?\"{3}$/gm, ''));
  expect(printSchema(lexicographicSortSchema(told))).toBe(printSchema(lexicographicSortSchema(whole)));
});

test("exactly one of text and data is the schema's own rule", () => {
  const content = schema.getType('MessageContent');
  expect(isInputObjectType(content) && content.isOneOf).toBe(true);
});

test('every type, field, argument and value has a description', () => {
  const silent = types.flatMap(partsOf).filter(({ description }) => !description);
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('every scalar says where it is specified', () => {
  const own = types.filter(isScalarType).filter((type) => !isSpecifiedScalarType(type));
  expect(own.filter(({ specifiedByURL }) => !specifiedByURL).map(({ name }) => name)).toEqual([]);
});

test('one selection may ask every member of an interface or union for whatever fields they share', () => {
  expect(types.filter(isAbstractType).flatMap(conflicts)).toEqual([
    // Who asks for a node by its id asks for one kind of thing.
    'Node.branches',
    'Node.checkpoints',
    'Node.latestLeaf',
    'Node.message',
  ]);
});

interface Part {
  path: string;
  description?: string | null | undefined;
}

/** A type, and all that it is made of. */
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

/** The fields that several members have, and that cannot be asked for together. */
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
