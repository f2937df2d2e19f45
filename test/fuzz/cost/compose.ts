/** Composes operations from the schema: any fields in any combination, within the limits of documents. */
import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  parse,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import { schema } from '../../../src/graphql/schema.js';
import { estimateCost } from '../../../src/http/limits/cost.js';
import { DEFAULT_LIMITS } from '../../../src/limits/limits.js';
import type { Choices } from './choices.js';
import { fieldsOf, requestOf, type Field, type Kind, type Operation } from './operation.js';
import { argumentsOf, isSize } from './values.js';

const ROOTS: Readonly<Record<Kind, GraphQLObjectType>> = {
  query: schema.getQueryType()!,
  mutation: schema.getMutationType()!,
  subscription: schema.getSubscriptionType()!,
};

/** Maximum depth of composed fields; variations become deeper. */
const DEPTH = 7;

/** Composes several operations and returns the one with the highest cost: most random operations are cheap. */
export function compose(choices: Choices): Operation {
  const some = Array.from({ length: choices.pick([1, 4]) }, () => composeAny(choices));
  const [costly] = some.sort((a, b) => (costOf(b) ?? 0) - (costOf(a) ?? 0));
  return costly!;
}

function composeAny(choices: Choices): Operation {
  const kind = choices.pick<Kind>(['query', 'query', 'query', 'query', 'query', 'query', 'mutation', 'subscription']);
  const count = kind === 'query' ? choices.pick([1, 1, 1, 2]) : 1;
  const selections = Array.from({ length: count }, () => fieldOf(ROOTS[kind], choices, 0));
  const isOverSocket = kind === 'subscription' || choices.chance(0.3);
  return within({ kind, isOverSocket, times: choices.pick([1, 1, 1, 4]), selections }, choices);
}

/** Any field of an object, with arguments and a selection. */
export function fieldOf(parent: GraphQLObjectType, choices: Choices, depth: number): Field {
  const all = Object.values(parent.getFields());
  const objects = all.filter(({ type }) => !isLeafType(getNamedType(type)));
  // Lists cause most of the cost.
  const definition = choices.pick(objects.length > 0 && depth < DEPTH && choices.chance(0.6) ? objects : all);
  return {
    definition,
    parent,
    arguments: argumentsOf(parent.name, definition, choices),
    isVariable: choices.chance(0.5),
    isFragment: choices.chance(0.2),
    selections: selectionsOf(getNamedType(definition.type), choices, depth + 1),
  };
}

/** The selection of a type: empty for leaves, and fields of one object type for interfaces and unions. */
function selectionsOf(type: GraphQLNamedType, choices: Choices, depth: number): Field[] {
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  // Errors have no expensive fields.
  const objects = possible.filter(({ name }) => !name.endsWith('Error'));
  if (objects.length === 0) return [];
  const object = choices.pick(objects);
  const count = depth > DEPTH ? 0 : choices.pick([1, 1, 1, 2]);
  const fields = Array.from({ length: count }, () => fieldOf(object, choices, depth));
  return fields.length > 0 ? fields : [typename(object)];
}

function typename(parent: GraphQLNamedType): Field {
  return { definition: null, parent, arguments: {}, isVariable: false, isFragment: false, selections: [] };
}

/** Shortens random lists until the operation is within the cost limit. */
export function within(operation: Operation, choices: Choices): Operation {
  for (let fitting = operation; ;) {
    const long = fieldsOf(fitting.selections).filter((field) => sizeOf(field) > 1);
    if ((costOf(fitting) ?? 0) <= DEFAULT_LIMITS.costLimit || long.length === 0) return fitting;
    const one = choices.pick(long);
    fitting = { ...fitting, selections: fitting.selections.map((field) => shortened(field, one)) };
  }
}

/** The estimated number of returned objects; null if the operation is invalid. */
function costOf(operation: Operation): number | null {
  const { query, variables } = requestOf(operation);
  return estimateCost({ schema, document: parse(query), variableValues: variables })?.nodes ?? null;
}

function shortened(field: Field, one: Field): Field {
  const selections = field.selections.map((inner) => shortened(inner, one));
  if (field !== one) return { ...field, selections };
  const name = sizeArgument(field) ?? '';
  return {
    ...field,
    selections,
    arguments: { ...field.arguments, [name]: Math.max(1, Math.floor(sizeOf(field) / 3)) },
  };
}

function sizeOf({ arguments: given, ...field }: Field): number {
  const name = sizeArgument({ arguments: given, ...field });
  return name === undefined ? 0 : Number(given[name] ?? 1_000);
}

function sizeArgument({ definition, arguments: given }: Field): string | undefined {
  const sizes = definition?.args.map(({ name }) => name).filter(isSize) ?? [];
  return sizes.find((name) => name in given) ?? sizes.find((name) => name !== 'last');
}
