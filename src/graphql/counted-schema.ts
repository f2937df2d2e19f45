/**
 * Has what every operation returns counted, against how many objects it may return (ObjectBudget) and how many bytes
 * (ContentBudget), and lists completed when there is time for them.
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
import { BYTES_PER_OBJECT, BYTES_PER_VALUE } from '../limits/content-budget.js';
import { collectFields, type Document } from './collected-fields.js';
import type { Context } from './context.js';

/** Has the lists of objects and the texts of a schema counted. */
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
 * The resolver of a field, whose values are counted. It throws nothing: what has been begun for the object's other fields
 * would be left behind by the executor, and if that fails, too, nobody catches it, which ends the process.
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

/** The resolver of a list, which is completed when there is time for it. */
function inTurns(resolve: Resolve): Resolve {
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    return list instanceof Promise
      ? list.then((settled: unknown) => completed(settled, context))
      : completeInSteps(list, context);
  };
}

/**
 * What is left to complete of a list that has been counted: nothing when the operation has been refused meanwhile, by others
 * that were loaded together with it. An error that is returned counts as thrown.
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

/** Before any of the elements is completed: the executor goes through all of them, whatever one of their fields throws. */
const countBytes: Count = (list, { content }, info) => {
  if (content !== undefined && Array.isArray(list) && list.length > 0) content.take(list.length * elementBytes(info));
};

/** JSON has been counted by whoever has parsed it. */
const countText: Count = (value, { content }, { returnType }) => {
  if (content === undefined || getNamedType(returnType).name === 'JSON') return;
  for (const text of Array.isArray(value) ? value : [value]) {
    if (typeof text === 'string') content.take(text.length);
  }
};

/** What an element of a list takes in the answer, beside its texts and lists: by what is selected of it. */
function elementBytes({ fieldNodes, schema, fragments }: GraphQLResolveInfo): number {
  let bytes = bytesOf.get(fieldNodes);
  if (bytes === undefined) {
    bytes = selectedBytes({ schema, fragments }, fieldNodes);
    bytesOf.set(fieldNodes, bytes);
  }
  return bytes;
}

/** By the nodes of a field, which the executor has one list of for all objects of a list. */
const bytesOf = new WeakMap<readonly FieldNode[], number>();

/**
 * What the value of a field takes. It ends where the limits of the document end, which have gone through the same.
 * @param nodes the field, from wherever it is asked for
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
