/** Finds the conversations in the values of a file, with their place and their reader. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isJsonObject, type JsonObject, UnreadableError } from '../file-values.js';
import type { FoundValue } from '../files/json/parsed-value.js';
import { stateInArray } from './agents/langgraph.js';
import { READERS } from './all-readers.js';
import { LineGroups } from './line-groups.js';
import { guarded, sentence, type ReadConversation } from './guarded-reading.js';
import type { LinesReader, Reader, FoundSource } from '../source-conversation.js';
import { arrayOf, objectOf } from './shared/members.js';

const PRODUCTS: readonly (readonly [name: string, isOwn: (value: JsonObject) => boolean])[] = [
  ['TypingMind', ({ data }) => 'chatID' in objectOf(arrayOf(objectOf(data)['chats'])[0])],
  ['RisuAI', ({ type }) => typeof type === 'string' && /^risu/i.test(type)],
  ['KoboldAI', (value) => 'gamestarted' in value && 'actions' in value],
  ['Zed', ({ zed }) => zed === 'context'],
  ['Cursor', (value) => 'composerId' in value || 'allComposers' in value],
];

/** The name of the product of a value; undefined for an unknown one. */
function otherProduct(value: JsonObject): string | undefined {
  return PRODUCTS.find(([, isOwn]) => isOwn(value))?.[0];
}

export interface ReadingOf {
  /** The file of the values, with or without its folder; null when unknown. */
  readonly fileName: string | null;
  /** See SourceText. */
  readonly digest?: (() => Promise<string>) | undefined;
  /** Warnings about the text, which move to its next conversation. */
  readonly warnings?: string[];
}

/**
 * A conversation without an id gets one from the digest of the file and its position in it: conversations of two files, or
 * two of one, can begin with the same messages.
 * @param format the reader for all values; null to detect each value's own
 * @param readers the readers to choose from
 */
export async function* conversationsIn(
  values: AsyncIterable<FoundValue>,
  format: Reader | null,
  { fileName, digest, warnings = [] }: ReadingOf = { fileName: null },
  readers: readonly Reader[] = READERS,
): AsyncGenerator<ReadConversation> {
  let count = 0;
  let ofFile: string | null | undefined;
  for await (const read of foundIn(values, format, fileName, readers)) {
    if ('fault' in read) {
      yield read;
      continue;
    }
    const { conversation } = read;
    let { conversationId } = conversation;
    if (conversationId === null) {
      // A damaged file has none.
      if (ofFile === undefined) ofFile = (await digest?.().catch(() => null)) ?? null;
      conversationId = `${ofFile ?? digestOf(conversation)}#${++count}`;
    }
    const all = [...warnings.splice(0), ...conversation.warnings];
    yield { ...read, conversation: { ...conversation, conversationId, warnings: all } };
  }
}

/** The digest of a conversation in a text that can be read only once, or is damaged. */
function digestOf({ nodes }: FoundSource): string {
  const sum = createHash('sha256');
  for (const { id, parentId, content } of nodes) sum.update(JSON.stringify([id, parentId, content().fingerprinted]));
  return sum.digest('hex');
}

async function* foundIn(
  values: AsyncIterable<FoundValue>,
  format: Reader | null,
  fileName: string | null,
  readers: readonly Reader[],
): AsyncGenerator<ReadConversation<FoundSource>> {
  const fileTitle = fileName === null ? null : basename(fileName).replace(/(?:\.(?:json|txt))?(?:\.gz)?$/i, '');
  let groups = null as LineGroups | null;
  try {
    for await (const found of values) {
      const { place } = found;
      if ('fault' in found) {
        yield { place, fault: found.fault, reader: null, isLeftOut: false, title: null };
        continue;
      }
      const value = stateInArray(found.value) ?? found.value;
      let reader: Reader | null = null;
      try {
        if (groups !== null && isJsonObject(value) && groups.takes(value) && !startsAnother(value, groups, readers)) {
          if (groups.mustFlushBefore(value)) yield* groups.flush();
          groups.add(found, value);
          continue;
        }
        reader = format ?? readerOf(value, readers);
        if (!isJsonObject(value)) throw new UnreadableError('it is not an object');
        if (isLinesReader(reader)) {
          if (groups !== null && groups.reader !== reader) {
            yield* groups.flush();
            groups = null;
          }
          groups ??= new LineGroups(reader);
          groups.add(found, value);
          continue;
        }
      } catch (error) {
        yield { place, fault: sentence(error), reader: null, isLeftOut: false, title: titleOf(value) };
        continue;
      }
      if (groups !== null) yield* groups.flush();
      groups = null;
      const { textsChanged, isLazy } = found;
      const bytes = isLazy ? Infinity : found.bytes;
      yield* guarded(place, reader, titleOf(value), bytes, textsChanged, () => reader.read(value, fileTitle));
    }
    if (groups !== null) yield* groups.flush();
  } finally {
    groups?.close();
  }
}

/** Whether a line begins a conversation of another format, whose lines a lenient reader would take. */
function startsAnother(value: JsonObject, { reader }: LineGroups, readers: readonly Reader[]): boolean {
  const begins = (each: Reader) => isLinesReader(each) && each.claims(value) && !each.continues(value, null);
  return !reader.claims(value) && readers.some((each) => each !== reader && begins(each));
}

/** @throws UnreadableError when no format claims the value, or more than one */
function readerOf(value: unknown, readers: readonly Reader[]): Reader {
  const claiming = isJsonObject(value) ? readers.filter((reader) => reader.claims(value)) : [];
  const [reader, other] = claiming;
  if (reader === undefined) {
    throw new UnreadableError(
      isJsonObject(value)
        ? unsupported(value)
        : `it is ${Array.isArray(value) ? 'an array' : 'a single value'}, not an object`,
    );
  }
  if (other !== undefined) {
    const names = claiming.map(({ label }) => label).join(' and ');
    const options = claiming.map(({ name }) => `--format ${name}`).join(' or ');
    throw new UnreadableError(`it may have several formats: ${names}; select one with ${options}`);
  }
  return reader;
}

function unsupported(value: JsonObject): string {
  const names = Object.keys(value).slice(0, 6);
  if (names.length === 0) return 'it is an empty object';
  const product = otherProduct(value);
  if (product !== undefined) return `files of ${product} are not supported`;
  return `no supported format has the fields ${names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')}`;
}

function isLinesReader(reader: Reader): reader is LinesReader {
  return 'readAll' in reader;
}

function titleOf(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const names = [value['title'], value['name'], value['message_tree_id']];
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null;
}
