/** The fields of the schema that take ids, which may belong to another user. */
import {
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

export interface Field {
  /** For example, Chat.message. */
  name: string;
  field: GraphQLField<unknown, unknown>;
}

export function fieldsOf(schema: GraphQLSchema): Field[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })));
}

/** The id arguments of a field, as paths such as input.messages.0.id. */
export function idPaths({ field }: Field): string[] {
  return field.args.flatMap(({ name, type }) => idsWithin(type, name, []));
}

function idsWithin(type: GraphQLInputType, path: string, outer: GraphQLNamedType[]): string[] {
  const named = getNamedType(type);
  const place = /\[/.test(type.toString()) ? `${path}.0` : path;
  if (named.name === 'ID') return [place];
  if (!isInputObjectType(named) || outer.includes(named)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    idsWithin(field.type, `${place}.${field.name}`, [...outer, named]),
  );
}

/** Selects all fields of a type that need no arguments, down to a depth; every field has a unique alias. */
export function everything(schema: GraphQLSchema, type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type)) {
    const fragments = schema
      .getPossibleTypes(type)
      .map((possible) => `... on ${possible.name} ${everything(schema, possible, depth)}`);
    return `{ __typename ${fragments.join(' ')} }`;
  }
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).map((field) => {
    const named = getNamedType(field.type);
    const isObject = isObjectType(named) || isAbstractType(named);
    if (field.args.some(isRequiredArgument) || (isObject && depth === 0)) return '';
    // A response name must have one type in all members of a union.
    return `${type.name}_${field.name}: ${field.name} ${isObject ? everything(schema, named, depth - 1) : ''}`;
  });
  return `{ __typename ${fields.join(' ')} }`;
}

/** The document of a root field, with a variable for each argument. */
export function documentOf(schema: GraphQLSchema, { name, field }: Field, depth: number): string {
  const operation = name.slice(0, name.indexOf('.')).toLowerCase();
  const variables = field.args.map((argument) => `$${argument.name}: ${argument.type.toString()}`);
  const given = field.args.map((argument) => `${argument.name}: $${argument.name}`);
  const selection = everything(schema, getNamedType(field.type), depth);
  return `${operation} (${variables.join(', ')}) { ${field.name}(${given.join(', ')}) ${selection} }`;
}
