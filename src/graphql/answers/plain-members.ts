/** The selections that plain-lists.ts writes: marks of fields, and the selected fields of a list's rows. */
import {
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type SelectionNode,
} from 'graphql';
import type { FileColumn, JsonColumn, JsonMember } from '../../conversation/json-lists.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { SegmentColumn } from '../../conversation/outline.js';
import { applies, collectFields, type Part } from '../limits/collected-fields.js';
import type { ObjectBudget } from '../limits/object-budget.js';
import { hasAliases } from '../loading/derived-values.js';
import type { Loaders } from '../loading/loaders.js';
import type { RowValues } from './row-values.js';

/** Columns of messages and of segments. */
export type Column = JsonColumn | SegmentColumn | FileColumn;

/** The part of the context that loads lists. */
export interface Loading {
  readonly loaders: Loaders;
  readonly reads: ConversationReads;
  budget?: ObjectBudget;
}

/** Writes a value of a row as JSON text, never null. */
type Write<Row> = (row: Row, values: RowValues) => string;

/** A plain field. `column` is set when the value is a column. */
interface Plain<Row> {
  write: Write<Row>;
  column?: Column;
}

/** Marks a field as plain: without separate rights, and written from its row alone, when it has no arguments. */
export function plain<Row>(write: Write<Row>, column?: Column): { extensions: { plain: Plain<Row> } } {
  return { extensions: { plain: { write, ...(column && { column }) } } };
}

/** An object inside each row, or null. */
interface PlainObject<Row, Value> {
  valueOf: (row: Row) => Value | null;
  columns?: readonly Column[] | undefined;
  /** Whether the columns of the object are the row's. */
  isOfRow?: boolean;
}

/**
 * Marks a field with an object inside the row: it is plain when all its selected fields are.
 * @param columns the columns that the row has of the object; all by default
 */
export function plainObject<Row, Value>(
  valueOf: PlainObject<Row, Value>['valueOf'],
  columns?: readonly Column[],
): { extensions: { plainObject: PlainObject<Row, Value>; isPartial: boolean } } {
  return { extensions: { plainObject: { valueOf, columns }, isPartial: columns !== undefined } };
}

/** Marks an object that has columns of the row itself. The database can write it. */
export function plainPart<Row>() {
  const { plainObject: marked, isPartial } = plainObject((row: Row) => row).extensions;
  return { extensions: { plainObject: { ...marked, isOfRow: true }, isPartial } };
}

interface PlainList<Row, Value> {
  /** Loads the lists of all rows at once, in their order. */
  load: (rows: readonly Row[], loading: Loading) => Promise<(readonly Value[])[]>;
}

/** Marks a list of objects: it is plain when all its selected fields are. The database can write the files of messages. */
export function plainFiles<Row, Value>(load: PlainList<Row, Value>['load']): { extensions: { plainFiles: unknown } } {
  return { extensions: { plainFiles: { load } } };
}

/** Marks a field as plain whose values are written from what is loaded for all rows at once. */
export function plainLoaded<Row>(load: LoadWriter<Row>): { extensions: { plainLoaded: LoadWriter<Row> } } {
  return { extensions: { plainLoaded: load } };
}

type LoadWriter<Row> = (rows: readonly Row[], loading: Loading) => Promise<(row: Row) => string>;

/** A selected field of each row. `column` is null when the database cannot write the value. */
export interface Member<Row> {
  key: string;
  write: Write<Row>;
  value: JsonMember<Column>['value'] | null;
  load?: (rows: readonly Row[], loading: Loading, info: GraphQLResolveInfo) => Promise<void>;
}

/** The selection of a list's rows; null when it contains a field that is not plain. */
export function membersOf<Row>(info: GraphQLResolveInfo): Member<Row>[] | null {
  const type = getNamedType(info.returnType);
  const parts = info.fieldNodes.flatMap(({ selectionSet }) => (selectionSet ? [{ selectionSet, type }] : []));
  return isObjectType(type) ? plainMembers(type, parts, info) : null;
}

/**
 * The selection of a list's rows, as a database writes it; null when it cannot write all members. It is kept with the
 * document unless variables may leave out fields.
 */
export function writtenMembers(info: GraphQLResolveInfo): readonly JsonMember<Column>[] | null {
  const [node] = info.fieldNodes;
  const known = node && writtenOf.get(node);
  if (known !== undefined) return known;
  const members = membersOf<unknown>(info);
  const result = members === null ? null : writtenIn(members);
  if (node !== undefined && info.fieldNodes.length === 1 && !mayLeaveOut(info)) writtenOf.set(node, result);
  return result;
}

function writtenIn(members: readonly Member<unknown>[]): JsonMember<Column>[] | null {
  const written = members.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));
  return written.length === members.length ? written : null;
}

/** By the field's node, which the document cache keeps. */
const writtenOf = new WeakMap<FieldNode, readonly JsonMember<Column>[] | null>();

/** Whether the operation has variables for @skip or @include. */
function mayLeaveOut({ operation: { variableDefinitions = [] } }: GraphQLResolveInfo): boolean {
  return variableDefinitions.some(({ type }) => {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    return named.kind === Kind.NAMED_TYPE && named.name.value === 'Boolean';
  });
}

/** Whether only some of these columns of a field's object are selected, and `__typename`. */
export function selectsOnly(columns: readonly Column[], info: GraphQLResolveInfo): boolean {
  let isOnly = onlyColumns.get(info.fieldNodes);
  if (isOnly === undefined) {
    isOnly = membersOf(info)?.every(isOneOf(columns)) === true;
    onlyColumns.set(info.fieldNodes, isOnly);
  }
  return isOnly;
}

/** By field nodes: the executor uses one array for all objects of a list, and others for the next operation. */
const onlyColumns = new WeakMap<readonly FieldNode[], boolean>();

function isOneOf(columns: readonly Column[]): (member: Pick<Member<never>, 'value'>) => boolean {
  return ({ value }) => value !== null && ('column' in value ? columns.includes(value.column) : 'text' in value);
}

function plainMembers<Row>(
  type: GraphQLObjectType,
  parts: readonly Part[],
  info: GraphQLResolveInfo,
): Member<Row>[] | null {
  let others = 0;
  const fields = collectFields(info, parts, (selection, within) => {
    if (!isKnown(selection, type, within, info)) others++;
    else return isIncluded(selection, info);
    return false;
  });
  if (others > 0) return null;
  const members: Member<Row>[] = [];
  for (const [key, nodes] of fields) {
    const name = nodes[0].node.name.value;
    const member = name === '__typename' ? typename(type) : fieldMember<Row>(type, name, nodes, info);
    if (member === null) return null;
    members.push({ key, ...member });
  }
  return members;
}

const MARKS = ['plain', 'plainLoaded', 'plainObject', 'plainFiles'];

/** Whether the selection is supported: a fragment must be on this type. */
function isKnown(
  selection: SelectionNode,
  type: GraphQLObjectType,
  within: Part['type'],
  { schema }: GraphQLResolveInfo,
): boolean {
  const isUnusual = selection.directives?.some(({ name }) => name.value !== 'skip' && name.value !== 'include');
  if (isUnusual === true) return false;
  if (selection.kind !== Kind.FIELD) return applies(schema, within, type);
  const { name, arguments: given = [] } = selection;
  if (given.length > 0) return false;

  const extensions = type.getFields()[name.value]?.extensions;
  return name.value === '__typename' || MARKS.some((mark) => extensions?.[mark] !== undefined);
}

function isIncluded(selection: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean {
  if (!selection.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.['if'] !== true && include?.['if'] !== false;
}

function typename<Row>({ name }: GraphQLObjectType): Omit<Member<Row>, 'key'> {
  const json = JSON.stringify(name);
  return { write: () => json, value: { text: name } };
}

/** Null when a field of the field's object is not plain. */
function fieldMember<Row>(
  type: GraphQLObjectType,
  name: string,
  nodes: readonly { node: { selectionSet?: Part['selectionSet'] | undefined } }[],
  info: GraphQLResolveInfo,
): Omit<Member<Row>, 'key'> | null {
  const field = type.getFields()[name];
  const marked = field?.extensions['plain'] as Plain<Row> | undefined;
  if (marked !== undefined) {
    const { write, column } = marked;
    if (column !== undefined) return { write, value: { column } };
    return {
      write: hasAliases(info) ? (row, values) => values.once(row, `${type.name}.${name}`, write) : write,
      value: null,
    };
  }
  const loadWriter = field?.extensions['plainLoaded'] as LoadWriter<Row> | undefined;
  if (loadWriter !== undefined) return loadedMember(loadWriter);
  const valueType = field && getNamedType(field.type);
  if (!isObjectType(valueType)) return null;
  const parts = nodes.flatMap(({ node: { selectionSet } }) =>
    selectionSet ? [{ selectionSet, type: valueType }] : [],
  );
  const members = plainMembers<unknown>(valueType, parts, info);
  if (members === null) return null;
  const write = objectWriter(members);
  const written = writtenIn(members);
  const list = field?.extensions['plainFiles'] as PlainList<Row, unknown> | undefined;
  if (list !== undefined) return listMember(list, members);
  const { valueOf, columns, isOfRow } = field?.extensions['plainObject'] as PlainObject<Row, unknown>;
  if (columns !== undefined && !members.every(isOneOf(columns))) return null;
  return {
    write: (row, values) => {
      const value = valueOf(row);
      return value === null ? 'null' : write(value, values);
    },
    value: isOfRow === true && written !== null ? { object: written } : null,
    load: async (rows, ...context) => {
      for (const { load } of members) await load?.(rows.map(valueOf), ...context);
    },
  };
}

function loadedMember<Row>(loadWriter: LoadWriter<Row>): Omit<Member<Row>, 'key'> {
  let write = (_row: Row) => 'null';
  return {
    write: (row) => write(row),
    value: null,
    load: async (rows, loading) => {
      write = await loadWriter(rows, loading);
    },
  };
}

function listMember<Row>({ load }: PlainList<Row, unknown>, members: readonly Member<unknown>[]) {
  const write = objectWriter(members);
  const lists = new Map<Row, readonly unknown[]>();
  const files = writtenIn(members);
  return {
    write: (row: Row, values: RowValues) => `[${(lists.get(row) ?? []).map((each) => write(each, values)).join(',')}]`,
    value: files === null ? null : { files: files as JsonMember<FileColumn>[] },
    load: async (rows: readonly Row[], loading: Loading, info: GraphQLResolveInfo) => {
      for (const [n, list] of (await load(rows, loading)).entries()) {
        loading.budget?.take(list.length, info);
        lists.set(rows[n] as Row, list);
      }
    },
  };
}

export function objectWriter<Row>(members: readonly Member<Row>[]): Write<Row> {
  const places = members.map(({ key, write }, n) => ({ before: `${n === 0 ? '{' : ','}"${key}":`, write }));
  if (places.length === 0) return () => '{}';
  // String concatenation only links the parts: they are copied once, when the answer is sent.
  return (row, values) => {
    let json = '';
    for (const { before, write } of places) json += before + write(row, values);
    return `${json}}`;
  };
}
