/**
 * Makes the answer of every operation within its limits: values are derived once for all aliases, objects and bytes are
 * counted (ObjectBudget, ContentBudget), values are completed in turns, and nothing is resolved after the end.
 */
import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import {
  BYTES_PER_LOADED_OBJECT,
  BYTES_PER_LOADED_VALUE,
  BYTES_PER_OBJECT,
  BYTES_PER_VALUE,
} from '../../limits/content-budget.js';
import { answerTurns, UNITS_PER_TURN } from '../../scheduler/work-turns.js';
import { renewLoaders, type Context } from '../context.js';
import { hasAliases } from '../loading/derived-values.js';
import { CHARACTERS_AT_ONCE } from './answer-json.js';
import { beginWork, VALUES_PER_UNIT } from './begin-work.js';
import { collectFields, type Document } from './collected-fields.js';
import { jsonLength } from './json-length.js';

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;
/** Counts a value, and returns it when the executor may complete it. */
type Complete = (value: unknown, context: Context, info: GraphQLResolveInfo, wasLoaded: boolean) => unknown;

export function withCounts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isSubscription = type === schema.getSubscriptionType();
    const isMutation = type === schema.getMutationType();
    for (const field of Object.values(type.getFields()) as Field[]) {
      const { resolve = defaultFieldResolver, extensions } = field;
      const isCountedBefore = extensions['isCountedBefore'] === true;
      const isProperty = extensions['pothosExposedField'] !== undefined;
      // Those lists, and partial objects, depend on the selection.
      const isOnce =
        !isSubscription && !isMutation && !isProperty && !isCountedBefore && extensions['isPartial'] !== true;
      const isLeaf = isLeafType(getNamedType(field.type));
      const isList = isListType(getNullableType(field.type));
      const completeObjects = isList ? completeList(isCountedBefore) : completeObject;
      const complete = isLeaf ? (isList ? completeLeaves : completeLeaf) : completeObjects;
      field.resolve = bounded(resolve, { isOnce, isSubscription, isMutation, complete });
    }
  }
  return schema;
}

interface Kind {
  /** Whether a field of an object is resolved once for equal arguments. */
  isOnce: boolean;
  /** Whether the field begins an answer of a subscription: the operation of the answer before has ended. */
  isSubscription: boolean;
  /** Whether the loaders are cleared after the field, so that its payload shows the new state. */
  isMutation: boolean;
  complete: Complete;
}

/**
 * Wraps the resolver of a field. It never throws: the executor would abandon the object's other fields, and their
 * unhandled rejections would end the process. After the end of the operation it never settles.
 */
function bounded(resolve: Resolve, { isOnce, isSubscription, isMutation, complete }: Kind): Resolve {
  return (source, args, context, info) => {
    if (!isSubscription && context.content?.isOver === true) return new Promise(() => {});
    try {
      context.budget?.check();
      const value =
        isOnce && hasAliases(info) ? once(resolve, source, args, context, info) : resolve(source, args, context, info);
      if (value instanceof Promise) {
        const settled = isMutation ? value.finally(() => renewLoaders(context)) : value;
        return settled.then((loaded: unknown) => {
          if (!isSubscription && context.content?.isOver === true) return new Promise(() => {});
          return complete(loaded, context, info, true);
        });
      }
      return complete(value, context, info, false);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

function once(resolve: Resolve, ...[source, args, context, info]: Parameters<Resolve>): unknown {
  const { derived } = context.loaders;
  return derived.get(source, derived.keyOf(info), (): unknown => resolve(source, args, context, info));
}

/** A text or JSON counts at each place where the answer has it. */
const completeLeaf: Complete = (value, context, _info, wasLoaded) => {
  if (value != null) context.content?.take(jsonLength(value));
  if (!wasLoaded) return value;
  context.content?.take(BYTES_PER_LOADED_VALUE);
  return inTurn(1, context, value);
};

/** Counts and completes a list of values in turns when it is long. */
const completeLeaves: Complete = (list, context, info, wasLoaded) => {
  if (!Array.isArray(list) || list.length <= VALUES_PER_UNIT) return completeLeaf(list, context, info, wasLoaded);
  return countInTurns(list, context).then(() => inTurn(list.length / VALUES_PER_UNIT, context, list));
};

async function countInTurns(list: readonly unknown[], context: Context): Promise<void> {
  let [characters, count] = [0, 0];
  for (const value of list) {
    const length = jsonLength(value);
    context.content?.take(length);
    characters += length;
    if (++count < UNITS_AT_ONCE * VALUES_PER_UNIT && characters < CHARACTERS_AT_ONCE) continue;
    await beginWork(UNITS_AT_ONCE, context);
    [characters, count] = [0, 0];
  }
}

const completeObject: Complete = (value, context, info, wasLoaded) => {
  if (!wasLoaded || value == null) return value;
  context.content?.take(BYTES_PER_LOADED_OBJECT);
  return inTurn(elementBytes(info) / BYTES_PER_VALUE, context, value);
};

/** Units of a list that is completed in one piece. */
const UNITS_AT_ONCE = UNITS_PER_TURN / 4;

/** Counts before any element is completed: the executor completes all of them, even when a field throws. */
const completeList =
  (isCountedBefore: boolean): Complete =>
  (list, context, info) => {
    if (!Array.isArray(list) || list.length === 0) return list;
    if (!isCountedBefore) context.budget?.take(list.length, info);
    const bytes = elementBytes(info);
    context.content?.take(list.length * bytes);
    const units = bytes / BYTES_PER_VALUE;
    if (list.length * units > UNITS_AT_ONCE) {
      return context.loaders.schedule.completeInTurns(list, (element) => inTurn(units, context, element));
    }
    const completed = inTurn(list.length * units, context, list);
    return completed instanceof Promise ? context.loaders.schedule.completeInTurn(completed) : completed;
  };

/** The value in its turn, unless the operation was refused meanwhile: a returned error counts as thrown. */
function inTurn(units: number, context: Context, value: unknown): unknown {
  const turn = answerTurns.begin(context.viewer.userId, units, context.content);
  if (turn === null) return value;
  return turn.then(() => context.budget?.refusal ?? context.content?.refusal ?? value);
}

/**
 * Bytes of a list element in the answer besides its texts and lists, from its selection. For each value, completing it
 * takes a unit of work: see WorkTurns.
 */
function elementBytes({ fieldNodes, schema, fragments }: GraphQLResolveInfo): number {
  const [first] = fieldNodes;
  const key = fieldNodes.length === 1 && first !== undefined ? first : fieldNodes;
  let bytes = bytesOf.get(key);
  if (bytes === undefined) {
    bytes = selectedBytes({ schema, fragments }, fieldNodes);
    bytesOf.set(key, bytes);
  }
  return bytes;
}

/**
 * By the field's node, which the document cache keeps; by the executor's array for all objects of a list where several
 * places select the field.
 */
const bytesOf = new WeakMap<FieldNode | readonly FieldNode[], number>();

/**
 * Bytes of a field's value. Bounded by the document limits, which visited the same selections.
 * @param nodes the field at all places that select it
 */
export function selectedBytes(document: Document, nodes: readonly FieldNode[]): number {
  const parts = nodes.flatMap(({ selectionSet }) =>
    selectionSet === undefined ? [] : [{ selectionSet, type: undefined }],
  );
  if (parts.length === 0) return BYTES_PER_VALUE;
  let bytes = BYTES_PER_OBJECT;
  for (const merged of collectFields(document, parts).values()) {
    const inner = merged.map(({ node }) => node);
    bytes += selectedBytes(document, inner);
  }
  return bytes;
}
