/**
 * A short way for long lists. The executor spends on a list of 10,000 rows several times what it costs to read them,
 * because it completes every value of every row by itself. When nothing but plain fields of the rows is asked for, the
 * list's resolver hands the rows to a PlainLists, which writes their JSON at once, straight from the rows (data, which
 * is kept as JSON, is not even parsed), and puts it into the answer's text.
 *
 * Anything unusual takes the normal way: arguments, directives, fields that are not marked plain. A property test
 * holds the two equal.
 */
import { randomBytes } from 'node:crypto';
import {
  getNamedType,
  isObjectType,
  Kind,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql';
import type { ContentBudget } from '../conversation/content-budget.js';
import { applies, collectFields } from './collected-fields.js';

/** The value of a plain field as JSON text; never null. */
type WriteJson<Row> = (row: Row) => string;

/** Marks a field as plain: without arguments, without rights of its own, and written from its row alone. */
export function plain<Row>(write: WriteJson<Row>): { extensions: { plainJson: WriteJson<Row> } } {
  return { extensions: { plainJson: write } };
}

/** Below this many rows the normal way is as good. */
const MIN_ROWS = 20;

export class PlainLists {
  readonly #lists: { path: (string | number)[]; json: string }[] = [];

  /** @param content where what is written counts */
  constructor(private readonly content?: ContentBudget) {}

  /** What a list's resolver returns: nothing when the rows are written here, and the rows when the executor is to. */
  take<Row>(rows: Row[], info: GraphQLResolveInfo): Row[] {
    if (rows.length < MIN_ROWS) return rows;
    const type = getNamedType(info.returnType);
    if (!isObjectType(type)) return rows;
    const fields = plainFields<Row>(type, info);
    if (fields === null) return rows;
    this.#lists.push({ path: pathOf(info), json: writeRows(rows, fields, this.content) });
    return [];
  }

  /** Puts the lists into the answer: its `stringify`, which the server calls, writes them. */
  complete(result: ExecutionResult): ExecutionResult & { stringify?: (result: ExecutionResult) => string } {
    // Unguessable, so that nothing that was saved can be taken for a place.
    const nonce = randomBytes(16).toString('hex');
    const jsonOf = new Map<string, string>();
    for (const { path, json } of this.#lists) {
      const place = `${nonce}:${jsonOf.size}`;
      if (replaceAt(result.data, path, place)) jsonOf.set(place, json);
    }
    if (jsonOf.size === 0) return result;
    const places = new RegExp(`"(${nonce}:[0-9]+)"`);
    return {
      ...result,
      stringify: (sanitized) =>
        JSON.stringify(sanitized)
          .split(places)
          .reduce((text, part) => text + (jsonOf.get(part) ?? part), ''),
    };
  }
}

/** How the selected fields are written, by response name; null when something in the selection is not plain. */
function plainFields<Row>(type: GraphQLObjectType, info: GraphQLResolveInfo): Map<string, WriteJson<Row>> | null {
  const parts = info.fieldNodes.flatMap(({ selectionSet }) =>
    selectionSet === undefined ? [] : [{ selectionSet, type }],
  );
  let others = 0;
  const fields = collectFields(info, parts, (selection, within) => {
    const isPlain =
      !selection.directives?.length &&
      (selection.kind === Kind.FIELD
        ? writerOf(type, selection.name.value) !== undefined
        : applies(info.schema, within, type));
    if (!isPlain) others++;
    return isPlain;
  });
  if (others > 0) return null;
  const writers = new Map<string, WriteJson<Row>>();
  for (const [key, [first]] of fields) {
    const write = first && writerOf<Row>(type, first.node.name.value);
    if (write !== undefined) writers.set(key, write);
  }
  return writers;
}

function writerOf<Row>(type: GraphQLObjectType, name: string): WriteJson<Row> | undefined {
  if (name === '__typename') return () => JSON.stringify(type.name);
  return type.getFields()[name]?.extensions['plainJson'] as WriteJson<Row> | undefined;
}

function writeRows<Row>(
  rows: readonly Row[],
  fields: ReadonlyMap<string, WriteJson<Row>>,
  content: ContentBudget | undefined,
): string {
  const members = [...fields].map(([key, write], n) => ({ before: `${n === 0 ? '{' : ','}"${key}":`, write }));
  // Adding strings only links them: the answer is copied together once, when it is sent.
  let json = '[';
  for (const row of rows) {
    const { length } = json;
    if (length > 1) json += ',';
    for (const { before, write } of members) json += before + write(row);
    json += '}';
    content?.take(json.length - length);
  }
  return `${json}]`;
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
