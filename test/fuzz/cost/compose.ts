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
import { schema } from '../../../src/server/schema.js';
import { estimateCost } from '../../../src/http/limits/cost.js';
import { checkDocument } from '../../../src/http/limits/document-limits.js';
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

/** The length of documents without a token: see docs/access/shares.md. */
const MAX_ANONYMOUS_CHARACTERS = 4_000;

/** Fields that are composed more often than others: they cause most of the work. */
const OFTEN: Readonly<Record<Kind, readonly string[]>> = {
  query: ['shared'],
  mutation: ['forkChat', 'createShare', 'saveMessages', 'editMessage'],
  subscription: ['branchHead', 'chatEvents'],
};
const OFTEN_SHARE = { query: 0.15, mutation: 0.6, subscription: 0.7 } as const;

/** Numbers of copies of a field under other names, each with its own arguments. */
const COPIES = [2, 3, 8];

/** Composes several operations and returns the one with the highest cost: most random operations are cheap. */
export function compose(choices: Choices): Operation {
  const some = Array.from({ length: choices.pick([2, 6]) }, () => composeAny(choices));
  const sendable = some.filter(isWithinLimits);
  const [costly] = (sendable.length > 0 ? sendable : some).sort((a, b) => (costOf(b) ?? 0) - (costOf(a) ?? 0));
  return costly!;
}

function composeAny(choices: Choices): Operation {
  const kind = choices.pick<Kind>(['query', 'query', 'query', 'query', 'query', 'query', 'mutation', 'subscription']);
  const count = kind === 'query' ? choices.pick([1, 1, 1, 2]) : 1;
  const rootName = () => (choices.chance(OFTEN_SHARE[kind]) ? choices.pick(OFTEN[kind]) : undefined);
  const selections = Array.from({ length: count }, () => fieldOf(ROOTS[kind], choices, 0, rootName()));
  const isOverSocket = kind === 'subscription' || choices.chance(0.3);
  const times = kind === 'subscription' ? choices.pick([1, 10, 100]) : choices.pick([1, 1, 1, 4]);
  const saves = kind === 'subscription' ? choices.pick([0, 1, 20, 500]) : 0;
  const [isAnonymous, areEqual] = [choices.chance(0.7), choices.chance(0.3)];
  const operation = { kind, isOverSocket, isAnonymous, times, areEqual, saves, selections };
  return within(permitted(operation), choices);
}

/** The same operation with a token if it needs one. */
export function permitted(operation: Operation): Operation {
  const isOfShares = operation.selections.every(({ definition }) => definition?.name === 'shared');
  const isAnonymous = operation.isAnonymous && isOfShares && operation.kind === 'query' && !operation.isOverSocket;
  return { ...operation, isAnonymous };
}

/** Any field of an object, or the one with a name, with arguments and a selection. */
export function fieldOf(parent: GraphQLObjectType, choices: Choices, depth: number, name?: string): Field {
  const all = Object.values(parent.getFields());
  const objects = all.filter(({ type }) => !isLeafType(getNamedType(type)));
  // Lists cause most of the cost.
  const any = () => choices.pick(objects.length > 0 && depth < DEPTH && choices.chance(0.6) ? objects : all);
  const definition = name === undefined ? any() : parent.getFields()[name]!;
  const interfaces = parent.getInterfaces();
  return {
    definition,
    parent,
    arguments: argumentsOf(parent.name, definition, choices),
    isVariable: choices.chance(0.5),
    isFragment: choices.chance(0.3),
    via: interfaces.length > 0 && choices.chance(0.2) ? choices.pick(interfaces) : null,
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
  const [first] = fields;
  const isRepeated = first !== undefined && first.selections.length > 0 && choices.chance(0.15);
  if (isRepeated) fields.push(...copies(first, choices.pick(COPIES), choices));
  return fields.length > 0 ? fields : [typename(object)];
}

/** Copies of a field, each with its own arguments; the selection is the same. */
export function copies(field: Field, count: number, choices: Choices): Field[] {
  const { definition, parent } = field;
  if (definition === null) return [];
  return Array.from({ length: count }, () => ({ ...field, arguments: argumentsOf(parent.name, definition, choices) }));
}

function typename(parent: GraphQLNamedType): Field {
  return { definition: null, parent, arguments: {}, isVariable: false, isFragment: false, via: null, selections: [] };
}

/** Whether its document is within the limits of documents, which refuse it without work. */
export function isWithinLimits(operation: Operation): boolean {
  const request = requestOf(operation);
  const isShort = !operation.isAnonymous || request.query.length <= MAX_ANONYMOUS_CHARACTERS;
  return isShort && checkDocument(schema, parse(request.query), DEFAULT_LIMITS).length === 0;
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
