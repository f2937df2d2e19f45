import { inspect } from 'node:util';
import { GraphQLError, Kind, type ObjectValueNode, type ValueNode } from 'graphql';
import { builder } from './builder.js';
import { isoTime, timeOf } from './answers/iso-time.js';

builder.scalarType('DateTime', {
  description: 'An RFC 3339 timestamp in UTC with millisecond precision, such as 2026-11-21T09:30:00.000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: isoTime,
  parseValue: (value) => {
    const time = typeof value === 'string' ? timeOf(value) : null;
    if (time === null) throw new GraphQLError(`DateTime cannot represent ${inspect(value)}`);
    return time;
  },
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => literalValue(node, variables ?? {}),
});

function literalValue(node: ValueNode, variables: Record<string, unknown>): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.BOOLEAN:
    case Kind.STRING:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map((value) => literalValue(value, variables));
    case Kind.OBJECT:
      return literalObject(node, variables);
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null;
    case Kind.ENUM:
      throw new GraphQLError(`JSON has no value ${node.value}: write it as a string`, { nodes: node });
  }
}

function literalObject(node: ObjectValueNode, variables: Record<string, unknown>): unknown {
  // fromEntries defines own members, so a key named __proto__ is kept.
  return Object.fromEntries(node.fields.map((field) => [field.name.value, literalValue(field.value, variables)]));
}
