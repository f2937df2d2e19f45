/** Removes citation marks from ChatGPT's texts, and returns the cited pages as sources. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { objectOf, textOf } from '../shared/members.js';
import { sourceParts } from '../shared/parts.js';
import type { MessagePart } from '../../source-conversation.js';

/** U+E200 kind U+E202 argument U+E202 … U+E201, with the space before it. */
const MARK = / ?\ue200([^\ue200\ue201]*)\ue201/g;
/** Incomplete marks: a start or an end alone. */
const STRAY = /[\ue200-\ue206]/g;

/** The parts with clean texts, followed by sources; null when nothing changes. */
export function citedText(parts: readonly MessagePart[], metadata: JsonObject): MessagePart[] | null {
  const references = [...listOf(metadata['content_references']), ...listOf(metadata['citations'])];
  const sources = new Map(references.flatMap(sourcesOf).map((source) => [source['url'], source]));
  const shown = new Map(
    references
      .map((each) => [textOf(each['matched_text']), textOf(each['alt'])] as const)
      .filter(([mark]) => mark !== null),
  );
  const clean = parts.map((part) => {
    if (part.type !== 'text') return part;
    return { ...part, text: withoutMarks(String(part['text']), shown) };
  });
  const isSame = clean.every((part, n) => part['text'] === parts[n]?.['text']);
  if (isSame && sources.size === 0) return null;
  return [...clean.filter((part) => part.type !== 'text' || part['text'] !== ''), ...sources.values()];
}

function withoutMarks(text: string, shown: ReadonlyMap<string | null, string | null>): string {
  if (!/[\ue200-\ue206]/.test(text)) return text;
  return text
    .replace(MARK, (mark, inner: string) => {
      const space = mark.startsWith(' ') ? ' ' : '';
      const known = shown.get(mark.slice(space.length)) ?? textInMark(inner);
      return known === null || /[\ue200-\ue206]/.test(known) ? '' : space + known;
    })
    .replace(STRAY, '');
}

/** The visible text of a mark: an entity's name, a link's text. */
function textInMark(inner: string): string | null {
  const [kind, argument = ''] = inner.split('\ue202');
  if (kind === 'url') return textOf(argument);
  if (kind !== 'entity') return null;
  try {
    return textOf((JSON.parse(argument) as unknown[])[1]);
  } catch {
    return null;
  }
}

/** The pages of a reference: its own, those of its items and their supporting sites, or of an older citation. */
function sourcesOf(reference: JsonObject): MessagePart[] {
  const items = [...listOf(reference['items']), ...listOf(reference['sources'])];
  const supporting = items.flatMap((item) => listOf(item['supporting_websites']));
  return [reference, objectOf(reference['metadata']), ...items, ...supporting].flatMap((page) =>
    sourceParts(page['url'], page['title']),
  );
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
