/**
 * Counts the result of every operation against its number of objects (ObjectBudget) and bytes (ContentBudget), and
 * completes lists in turns.
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
import { BYTES_PER_OBJECT, BYTES_PER_VALUE } from '../../limits/content-budget.js';
import { collectFields, type Document } from './collected-fields.js';
import type { Context } from '../context.js';

/** Adds counting to the lists of objects and the texts of a schema. */
export function withCounts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()) as Field[]) {
      const named = getNamedType(field.type);
      if (isLeafType(named)) field.resolve = counting(field, countText);
      else if (isListType(getNullableType(field.type))) {
        field.resolve = inTurns(
          counting(field, field.extensions['isCountedBefore'] === true ? countBytes : countObjects),
        );
      }
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;
type Count = (value: unknown, context: Context, info: GraphQLResolveInfo) => void;

/**
 * Wraps the resolver of a counted field. It never throws: the executor would abandon the object's other fields, and
 * their unhandled rejections would end the process.
 */
function counting({ resolve = defaultFieldResolver }: Field, count: Count): Resolve {
  return (source, args, context, info) => {
    try {
      context.budget?.check();
      const value: unknown = resolve(source, args, context, info);
      if (!(value instanceof Promise)) {
        count(value, context, info);
        return value;
      }
      return value.then((settled: unknown) => {
        count(settled, context, info);
        return settled;
      });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/** Wraps the resolver of a list that is completed in turns. */
function inTurns(resolve: Resolve): Resolve {
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    return list instanceof Promise
      ? list.then((settled: unknown) => completed(settled, context))
      : completeInSteps(list, context);
  };
}

/**
 * The remaining elements of a counted list: none when the operation was refused meanwhile by lists loaded together with
 * it. A returned error counts as thrown.
 */
async function completed(list: unknown, context: Context): Promise<unknown> {
  if (Array.isArray(list) && list.length > 0) await context.loaders.schedule.begin();
  return refusalOf(context) ?? completeInSteps(list, context);
}

function completeInSteps(list: unknown, context: Context): unknown {
  if (!Array.isArray(list)) return list;
  return context.loaders.schedule.completeInSteps(list, () => refusalOf(context));
}

function refusalOf({ budget, content }: Context): Error | null {
  return budget?.refusal ?? content?.refusal ?? null;
}

const countObjects: Count = (list, context, info) => {
  if (Array.isArray(list)) context.budget?.take(list.length, info);
  countBytes(list, context, info);
};

/** Before any element is completed: the executor completes all of them, even when a field throws. */
const countBytes: Count = (list, { content }, info) => {
  if (content !== undefined && Array.isArray(list) && list.length > 0) content.take(list.length * elementBytes(info));
};

/** The parser has already counted JSON. */
const countText: Count = (value, { content }, { returnType }) => {
  if (content === undefined || getNamedType(returnType).name === 'JSON') return;
  for (const text of Array.isArray(value) ? value : [value]) {
    if (typeof text === 'string') content.take(text.length);
  }
};

/** Bytes of a list element in the answer besides its texts and lists, from its selection. */
function elementBytes({ fieldNodes, schema, fragments }: GraphQLResolveInfo): number {
  let bytes = bytesOf.get(fieldNodes);
  if (bytes === undefined) {
    bytes = selectedBytes({ schema, fragments }, fieldNodes);
    bytesOf.set(fieldNodes, bytes);
  }
  return bytes;
}

/** By field nodes: the executor uses one array for all objects of a list. */
const bytesOf = new WeakMap<readonly FieldNode[], number>();

/**
 * Bytes of a field's value. Bounded by the document limits, which visited the same selections.
 * @param nodes the field at all places that select it
 */
export function selectedBytes(document: Document, nodes: readonly FieldNode[]): number {
  const parts = nodes.flatMap(({ selectionSet }) =>
    selectionSet === undefined ? [] : [{ selectionSet, type: undefined }],
  );
  if (parts.length === 0) return BYTES_PER_VALUE;
  const fields = [...collectFields(document, parts).values()];
  const sizes = fields.map((merged) => {
    const inner = merged.map(({ node }) => node);
    return selectedBytes(document, inner);
  });
  return BYTES_PER_OBJECT + sum(sizes);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
