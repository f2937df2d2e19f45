/**
 * A short way for long lists. The executor spends on a list of 10,000 rows several times what it costs to read them,
 * because it completes every value of every row by itself. When nothing but plain fields of the rows is asked for, the
 * list's JSON is put into the answer's text as it is: written by the database itself where it can (see JsonList), or here,
 * straight from the rows (data, which is kept as JSON, is not even parsed).
 *
 * Anything unusual takes the normal way: arguments, directives but @skip and @include, fields that are not marked plain. A
 * property test holds the ways equal.
 */
import { randomBytes } from 'node:crypto';
import {
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type SelectionNode,
} from 'graphql';
import { completions } from '../scheduler/event-loop-slots.js';
import type { Bytes, JsonColumn, JsonList, JsonMember, LeanRow } from '../conversation/reads.js';
import type { SegmentColumn } from '../conversation/outline.js';
import type { ContentBudget } from '../limits/content-budget.js';
import type { Viewer } from '../conversation/model.js';
import { applies, collectFields, type Part } from './collected-fields.js';

/** Of messages and of segments. */
type Column = JsonColumn | SegmentColumn;

/** A plain field: how its value is written as JSON text, which is never null, and the column that it is, if it is one. */
interface Plain<Row> {
  write: (row: Row) => string;
  column?: Column;
}

/** Marks a field as plain: without rights of its own, and written from its row alone, where no argument is given. */
export function plain<Row>(write: (row: Row) => string, column?: Column): { extensions: { plain: Plain<Row> } } {
  return { extensions: { plain: { write, ...(column && { column }) } } };
}

/** Marks a field whose value is an object that the row has with it: it is plain as far as its own fields are. */
export function plainObject<Row, Value>(valueOf: (row: Row) => Value): { extensions: { plainObject: unknown } } {
  return { extensions: { plainObject: valueOf } };
}

/** Below this many rows the normal way is as good. */
const MIN_ROWS = 20;

/** A selected field of each row. The value is what a database can write: null where that is more than a column. */
interface Member<Row> {
  key: string;
  write: (row: Row) => string;
  value: JsonMember<Column>['value'] | null;
}

/** The part of the context that lists are written with. */
interface Writer {
  readonly viewer: Viewer;
  content?: ContentBudget;
}

/** Has a list written with some members. */
export type WriteJson<Of = JsonColumn> = (members: readonly JsonMember<Of>[]) => Promise<JsonList>;

/** What an answer is sent as: as a text, or as bytes where parts of it came as bytes. */
type Stringify = (result: ExecutionResult) => string | Uint8Array;

export class PlainLists {
  readonly #lists: { path: (string | number)[]; json: string | Bytes }[] = [];
  #isOver = false;

  /** @param operation whose content what is written counts as, and of whose user */
  constructor(private readonly operation: Writer) {}

  /** What a list's resolver returns: nothing when the rows are written here, and the rows when the executor is to. */
  take<Row>(rows: Row[], info: GraphQLResolveInfo): Row[] | Promise<Row[]> {
    const members = rows.length < MIN_ROWS ? null : membersOf<Row>(info);
    if (members === null) return rows;
    return this.#write(rows, members, info).then(() => []);
  }

  /**
   * Takes a list without its rows, if it can be written so: the resolver then returns nothing.
   * @param length how many rows it has
   * @param write has the list written with the members that were selected, whose columns are those of the list's type
   */
  async takeJson<Of extends Column>(length: number, info: GraphQLResolveInfo, write: WriteJson<Of>): Promise<boolean> {
    const members = length < MIN_ROWS ? null : membersOf<LeanRow>(info);
    const written = members?.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));
    if (written === undefined || written.length !== members?.length) return false;
    const json = await write(written as JsonMember<Of>[]);
    if (json === null) return false;
    if (Array.isArray(json)) {
      await this.#write(json, members, info);
      return true;
    }
    this.#lists.push({ path: pathOf(info), json });
    // It came when nobody waited any more.
    if (this.#isOver) json.giveBack();
    return true;
  }

  async #write<Row>(rows: readonly Row[], members: readonly Member<Row>[], info: GraphQLResolveInfo): Promise<void> {
    this.#lists.push({ path: pathOf(info), json: await writeRows(rows, members, this.operation) });
  }

  /** Puts the lists into the answer: its `stringify`, which the server calls, writes them. */
  complete(result: ExecutionResult): ExecutionResult & { stringify?: Stringify } {
    if (this.#lists.length === 0) return result;
    // Unguessable, so that nothing that was saved can be taken for a place.
    const nonce = randomBytes(16).toString('hex');
    const jsonOf = new Map<string, string | Bytes>();
    for (const { path, json } of this.#lists) {
      const place = `${nonce}:${jsonOf.size}`;
      if (replaceAt(result.data, path, place)) jsonOf.set(place, json);
    }
    if (jsonOf.size === 0) return result;
    const places = new RegExp(`"(${nonce}:[0-9]+)"`);
    return {
      ...result,
      stringify: (sanitized) => {
        // Every other part is a place, and those between are texts.
        const parts = JSON.stringify(sanitized).split(places);
        const last = parts.length - 1;
        return together(parts.map((part, n) => jsonOf.get(part) ?? `${n > 0 ? ']' : ''}${part}${n < last ? '[' : ''}`));
      },
    };
  }

  /** Whether something of it is to be given back at its end. */
  get isLent(): boolean {
    return this.#lists.some(({ json }) => typeof json !== 'string');
  }

  /** The answer has been sent, or nobody waits for it. */
  end(): void {
    this.#isOver = true;
    for (const { json } of this.#lists) if (typeof json !== 'string') json.giveBack();
  }
}

/** A list alone is sent from where it is. */
function together(parts: readonly (string | Bytes)[]): string | Uint8Array {
  const [before, list, after] = parts;
  if (parts.length === 3 && typeof before === 'string' && typeof list === 'object' && typeof after === 'string') {
    const whole = list.within(before, after);
    if (whole !== null) return whole;
  }
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part.bytes)));
}

/** What is selected of a list's rows; null when something in the selection is not plain. */
function membersOf<Row>(info: GraphQLResolveInfo): Member<Row>[] | null {
  const type = getNamedType(info.returnType);
  const parts = info.fieldNodes.flatMap(({ selectionSet }) => (selectionSet ? [{ selectionSet, type }] : []));
  return isObjectType(type) ? plainMembers(type, parts, info) : null;
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
    const name = nodes[0]?.node.name.value ?? '';
    const member = name === '__typename' ? typename(type) : fieldMember<Row>(type, name, nodes, info);
    if (member === null) return null;
    members.push({ key, ...member });
  }
  return members;
}

/** Whether this is a selection that the short way understands: of a fragment, one on this type. */
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
  return (
    name.value === '__typename' || extensions?.['plain'] !== undefined || extensions?.['plainObject'] !== undefined
  );
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

/** Null when a field of the object that the field has is not plain. */
function fieldMember<Row>(
  type: GraphQLObjectType,
  name: string,
  nodes: readonly { node: { selectionSet?: Part['selectionSet'] | undefined } }[],
  info: GraphQLResolveInfo,
): Omit<Member<Row>, 'key'> | null {
  const field = type.getFields()[name];
  const marked = field?.extensions['plain'] as Plain<Row> | undefined;
  if (marked !== undefined) {
    return { write: marked.write, value: marked.column === undefined ? null : { column: marked.column } };
  }
  const valueOf = field?.extensions['plainObject'] as (row: Row) => unknown;
  const valueType = field && getNamedType(field.type);
  if (!isObjectType(valueType)) return null;
  const parts = nodes.flatMap(({ node: { selectionSet } }) =>
    selectionSet ? [{ selectionSet, type: valueType }] : [],
  );
  const members = plainMembers<unknown>(valueType, parts, info);
  if (members === null) return null;
  const write = objectWriter(members);
  return { write: (row) => write(valueOf(row)), value: null };
}

function objectWriter<Row>(members: readonly Member<Row>[]): (row: Row) => string {
  const places = members.map(({ key, write }, n) => ({ before: `${n === 0 ? '{' : ','}"${key}":`, write }));
  if (places.length === 0) return () => '{}';
  // Adding strings only links them: the answer is copied together once, when it is sent.
  return (row) => {
    let json = '';
    for (const { before, write } of places) json += before + write(row);
    return `${json}}`;
  };
}

/** How long rows are written before others have their turn, in milliseconds: each may have a megabyte, to be parsed. */
const STEP_MS = 5;

/** The objects, with commas between, when there is time for them. */
async function writeRows<Row>(
  rows: readonly Row[],
  members: readonly Member<Row>[],
  { content, viewer }: Writer,
): Promise<string> {
  const write = objectWriter(members);
  let json = '';
  let since = -Infinity;
  for (const row of rows) {
    if (performance.now() - since > STEP_MS) {
      await completions.beginCompletion(viewer.userId);
      since = performance.now();
    }
    const { length } = json;
    if (length > 0) json += ',';
    json += write(row);
    content?.take(json.length - length);
  }
  return json;
}

function pathOf({ path }: GraphQLResolveInfo): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: typeof path | undefined = path; at !== undefined; at = at.prev) keys.unshift(at.key);
  return keys;
}

/** False when there is nothing at the path: an error above it has made that null. */
function replaceAt(data: unknown, path: readonly (string | number)[], value: string): boolean {
  const last = path.at(-1);
  let parent = data;
  for (const key of path.slice(0, -1)) parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
  if (last === undefined || parent == null) return false;
  (parent as Record<string | number, unknown>)[last] = value;
  return true;
}
