/** A document for each root field of the schema, with a text for each argument that accepts one. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import { schema } from '../../../src/server/schema.js';

export interface AnyOperation {
  query: string;
  variables: Record<string, unknown>;
}

/** @param text value of these arguments */
export function everyOperation(text: string): AnyOperation[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) => {
    const kind = root!.name.toLowerCase();
    return Object.values(root!.getFields()).map(({ name, args, type }) => {
      const declared = args.map((argument) => `$${argument.name}: ${String(argument.type)}`);
      const given = args.map((argument) => `${argument.name}: $${argument.name}`);
      const selection = isLeafType(getNamedType(type)) ? '' : ' { __typename }';
      const variables = Object.fromEntries(args.map((argument) => [argument.name, valueOf(argument.type, text)]));
      const list = (each: string[]) => (each.length === 0 ? '' : `(${each.join(', ')})`);
      return { query: `${kind} ${name}${list(declared)} { ${name}${list(given)}${selection} }`, variables };
    });
  });
}

function valueOf(type: GraphQLInputType, text: string): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, text);
  if (isListType(type)) return [valueOf(type.ofType, text)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const wanted = type.isOneOf ? fields.slice(0, 1) : fields;
    return Object.fromEntries(wanted.map((field) => [field.name, valueOf(field.type, text)]));
  }
  if (type.name === 'Int') return 1;
  if (type.name === 'Boolean') return true;
  return type.name === 'ID' || type.name === 'String' ? text : { text };
}
