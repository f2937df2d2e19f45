/**
 * Writes long lists directly as JSON text. For 10,000 rows the executor takes several times as long as reading them,
 * because it completes every value. A selection of plain fields is written by the database itself (see JsonList) or
 * from the rows (data stays unparsed JSON). Arguments, directives except @skip and @include, and other fields use the
 * executor. A property test compares both ways.
 */
import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';
import type { JsonColumn, JsonList, JsonMember, LeanRow } from '../../conversation/json-lists.js';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Viewer } from '../../conversation/model.js';
import { beginWriting } from '../limits/begin-work.js';
import { CHARACTERS_AT_ONCE, isPooled, WrittenList, type Elements } from '../limits/answer-json.js';
import { membersOf, objectWriter, writtenMembers, type Column, type Loading, type Member } from './plain-members.js';
import { RowValues } from './row-values.js';

/** For fewer rows the executor is as fast. */
const MIN_ROWS = 20;

/** A list of an answer as JSON text. */
export interface PlainList {
  readonly path: (string | number)[];
  readonly json: Elements;
}

/** The part of the context that writes lists. The written bytes count for its content and user. */
interface Writer extends Loading {
  readonly viewer: Viewer;
  content?: ContentBudget;
  plainLists?: PlainList[];
}

export type WriteJson<Of = JsonColumn> = (members: readonly JsonMember<Of>[]) => Promise<JsonList>;

/** The result of a list's resolver: nothing when the rows are written here, otherwise the rows. */
export function takeRows<Row>(context: Writer, rows: Row[], info: GraphQLResolveInfo): Row[] | Promise<Row[]> {
  const members = context.plainLists === undefined || rows.length < MIN_ROWS ? null : membersOf<Row>(info);
  if (members === null) return rows;
  return writeList(context, rows, members, info).then(() => []);
}

/**
 * Takes a list without its rows, if it can be written: the resolver then returns nothing.
 * @param length number of rows
 * @param write writes the list with the selected members, whose columns are those of the list's type
 */
export async function takeJson<Of extends Column>(
  context: Writer,
  length: number,
  info: GraphQLResolveInfo,
  write: WriteJson<Of>,
): Promise<boolean> {
  const written = context.plainLists === undefined || length < MIN_ROWS ? null : writtenMembers(info);
  if (written === null) return false;
  const json = await write(written as readonly JsonMember<Of>[]);
  if (json === null) return false;
  if (Array.isArray(json)) {
    await writeList(context, json, membersOf<LeanRow>(info) ?? [], info);
    return true;
  }
  // Without lists, the response was already sent; release the buffer.
  if (context.plainLists === undefined) json.release();
  else context.plainLists.push({ path: pathOf(info), json });
  return true;
}

async function writeList<Row>(
  context: Writer,
  rows: readonly Row[],
  members: readonly Member<Row>[],
  info: GraphQLResolveInfo,
): Promise<void> {
  const json = await writeRows(rows, members, context, info);
  context.plainLists?.push({ path: pathOf(info), json });
}

/**
 * Inserts the lists into the data of an answer.
 * @param response is sent from their buffers, which are released after it
 * @returns whether there are any
 */
export function insertLists(
  lists: readonly PlainList[],
  { data }: ExecutionResult,
  context: Pick<Writer, 'plainLists'> & { res?: Pick<ServerResponse, 'once'> },
): boolean {
  context.res?.once('close', () => {
    delete context.plainLists;
    for (const { json } of lists) if (isPooled(json)) json.release();
  });
  let hasInserted = false;
  for (const { path, json } of lists) if (replaceAt(data, path, new WrittenList(json))) hasInserted = true;
  return hasInserted;
}

/** The objects, separated by commas, written in turns. */
async function writeRows<Row>(
  rows: readonly Row[],
  members: readonly Member<Row>[],
  context: Writer,
  info: GraphQLResolveInfo,
): Promise<Elements> {
  for (const { load } of members) await load?.(rows, context, info);
  const write = objectWriter(members);
  const values = new RowValues(context.loaders.derived);
  const pieces: Uint8Array[] = [];
  let json = '';
  for (const [n, row] of rows.entries()) {
    if (json.length + values.parsedCharacters > CHARACTERS_AT_ONCE) {
      await beginWriting(json.length + values.parsedCharacters, context);
      pieces.push(Buffer.from(json));
      json = '';
      values.parsedCharacters = 0;
    }
    const { length } = json;
    if (n > 0) json += ',';
    json += write(row, values);
    context.content?.take(json.length - length);
  }
  return pieces.length === 0 ? json : [...pieces, Buffer.from(json)];
}

function pathOf({ path }: GraphQLResolveInfo): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: typeof path | undefined = path; at !== undefined; at = at.prev) keys.unshift(at.key);
  return keys;
}

/** False when there is nothing at the path: an error above made it null. */
function replaceAt(data: unknown, path: readonly (string | number)[], value: WrittenList): boolean {
  const last = path.at(-1);
  let parent = data;
  for (const key of path.slice(0, -1)) parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
  if (last === undefined || parent == null) return false;
  (parent as Record<string | number, unknown>)[last] = value;
  return true;
}
