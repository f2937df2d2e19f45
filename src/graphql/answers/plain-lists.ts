/**
 * Writes long lists directly as JSON text. For 10,000 rows the executor takes several times as long as reading them,
 * because it completes every value. A selection of plain fields is written by the database itself (see JsonList) or
 * from the rows (data stays unparsed JSON). Arguments, directives except @skip and @include, and other fields use the
 * executor. A property test compares both ways.
 */
import { randomBytes } from 'node:crypto';
import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';
import { completions } from '../../scheduler/event-loop-slots.js';
import type { Bytes, JsonColumn, JsonList, JsonMember, LeanRow } from '../../conversation/json-lists.js';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Viewer } from '../../conversation/model.js';
import { membersOf, objectWriter, type Column, type Loading, type Member } from './plain-members.js';

/** For fewer rows the executor is as fast. */
const MIN_ROWS = 20;

/** The part of the context that writes lists. */
interface Writer extends Loading {
  readonly viewer: Viewer;
  content?: ContentBudget;
}

/** Writes a list with the selected members. */
export type WriteJson<Of = JsonColumn> = (members: readonly JsonMember<Of>[]) => Promise<JsonList>;

/** Serializes an answer: as a text, or as bytes where parts of it are bytes. */
type Stringify = (result: ExecutionResult) => string | Uint8Array;

export class PlainLists {
  readonly #lists: { path: (string | number)[]; json: string | Bytes }[] = [];
  #isOver = false;

  /** @param operation operation whose content and user the written bytes count for */
  constructor(private readonly operation: Writer) {}

  /** The result of a list's resolver: nothing when the rows are written here, otherwise the rows. */
  take<Row>(rows: Row[], info: GraphQLResolveInfo): Row[] | Promise<Row[]> {
    const members = rows.length < MIN_ROWS ? null : membersOf<Row>(info);
    if (members === null) return rows;
    return this.#write(rows, members, info).then(() => []);
  }

  /**
   * Takes a list without its rows, if it can be written: the resolver then returns nothing.
   * @param length number of rows
   * @param write writes the list with the selected members, whose columns are those of the list's type
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
    // The response was already sent; release the buffer.
    if (this.#isOver) json.release();
    return true;
  }

  async #write<Row>(rows: readonly Row[], members: readonly Member<Row>[], info: GraphQLResolveInfo): Promise<void> {
    this.#lists.push({ path: pathOf(info), json: await writeRows(rows, members, this.operation, info) });
  }

  /** Inserts the lists into the answer: Yoga calls its `stringify`. */
  complete(result: ExecutionResult): ExecutionResult & { stringify?: Stringify } {
    if (this.#lists.length === 0) return result;
    // Unguessable, so that saved text cannot match a placeholder.
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
        // Every other part is a placeholder, with texts in between.
        const parts = JSON.stringify(sanitized).split(places);
        const last = parts.length - 1;
        return together(parts.map((part, n) => jsonOf.get(part) ?? `${n > 0 ? ']' : ''}${part}${n < last ? '[' : ''}`));
      },
    };
  }

  /** Whether buffers must be released at the end. */
  get holdsBuffers(): boolean {
    return this.#lists.some(({ json }) => typeof json !== 'string');
  }

  /** The answer was sent, or the client disconnected. */
  end(): void {
    this.#isOver = true;
    for (const { json } of this.#lists) if (typeof json !== 'string') json.release();
  }
}

/** A single list is sent without copying. */
function together(parts: readonly (string | Bytes)[]): string | Uint8Array {
  const [before, list, after] = parts;
  if (parts.length === 3 && typeof before === 'string' && typeof list === 'object' && typeof after === 'string') {
    const whole = list.within(before, after);
    if (whole !== null) return whole;
  }
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part.bytes)));
}

/** Milliseconds of writing rows per turn: each row may have a megabyte to be parsed. */
const STEP_MS = 5;

/** The objects, separated by commas, written in turns. */
async function writeRows<Row>(
  rows: readonly Row[],
  members: readonly Member<Row>[],
  context: Writer,
  info: GraphQLResolveInfo,
): Promise<string> {
  const { content, viewer } = context;
  for (const { load } of members) await load?.(rows, context, info);
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

/** False when there is nothing at the path: an error above made it null. */
function replaceAt(data: unknown, path: readonly (string | number)[], value: string): boolean {
  const last = path.at(-1);
  let parent = data;
  for (const key of path.slice(0, -1)) parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
  if (last === undefined || parent == null) return false;
  (parent as Record<string | number, unknown>)[last] = value;
  return true;
}
