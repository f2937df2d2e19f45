/** A ChatGPT message as a UI message: tool calls, results, and text. */
import { type JsonObject, isJsonObject } from '../../file-values.js';
import { objectOf, textOf } from '../shared/members.js';
import { callPart, dataPart, sourceParts, toolInput, toolPart } from '../shared/parts.js';
import type { MessagePart, NodeContent, Role } from '../../source-conversation.js';
import { readContent } from './content.js';
import { attachedParts, attachmentsOf } from './images.js';

/** A citation mark: U+E200 kind U+E202 argument U+E202 … U+E201, with the space before it. */
const MARK = / ?\ue200([^\ue200\ue201]*)\ue201/g;
/** Incomplete marks: a start or an end alone. */
const STRAY = /[\ue200-\ue206]/g;

/** The parts with clean texts, followed by sources; null when nothing changes. */
function citedText(parts: readonly MessagePart[], metadata: JsonObject): MessagePart[] | null {
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

/** The message of a node; an empty object without one. */
export type MessageAt = (id: string) => JsonObject;

/** @param call the message that may have called the tool of this result */
export function messageContent(
  id: string,
  message: JsonObject,
  role: Role,
  call: { id: string; message: JsonObject } | null,
): NodeContent {
  const { content, create_time: createTime, id: ownId, ...others } = message;
  const metadata = objectOf(others['metadata']);
  const author = objectOf(others['author']);
  const attachments = attachmentsOf(metadata);
  const read = readContent(content, attachments);
  const recipient = textOf(others['recipient']) ?? 'all';
  let { parts, rest } = read;
  if (author['role'] === 'tool' || author['role'] === 'function' || isOutput(content, call)) {
    parts = resultParts(id, read.parts, content, textOf(author['name']), call);
    rest = content;
  } else if (role === 'assistant' && recipient !== 'all') {
    parts = [
      callPart({ id, name: recipient, input: toolInput(textIn(read.parts) ?? content) }),
      ...read.parts.filter((part) => part.type !== 'text'),
    ];
    rest = content;
  } else {
    const cited = citedText(parts, metadata);
    if (cited !== null) {
      parts = cited;
      rest = content;
    }
  }
  if (parts.length === 0) parts = [...attachments.values()].map((each) => dataPart('attachment', each));
  return {
    role,
    parts,
    attached: attachedParts(content, metadata, attachments, parts),
    createTime: createTime ?? undefined,
    hidden: metadata['is_visually_hidden_from_conversation'] === true,
    original: {
      ...(ownId === undefined || ownId === id ? {} : { id: ownId }),
      ...(rest === undefined ? {} : { content: rest }),
      ...others,
    },
    fingerprinted: content,
  };
}

/** Old exports give the role of code output to the assistant. */
function isOutput(content: unknown, call: object | null): boolean {
  return call !== null && objectOf(content)['content_type'] === 'execution_output';
}

/** A call and its result as one part, followed by images. */
function resultParts(
  id: string,
  parts: readonly MessagePart[],
  content: unknown,
  tool: string | null,
  call: { id: string; message: JsonObject } | null,
): MessagePart[] {
  const called = call === null ? {} : callOf(call.message);
  const name = tool ?? textOf(call?.message['recipient']) ?? 'tool';
  const failed = objectOf(content)['content_type'] === 'system_error';
  const text = textIn(parts);
  const isPlain = parts.every((part) => part.type === 'text' || part.type === 'file');
  const output = isPlain && text !== null ? text : content;
  const result = failed && text !== null ? { error: text } : { output };
  const { url, title } = objectOf(content);
  return [
    toolPart({ id, name, input: called }, result),
    ...parts.filter((part) => part.type === 'file'),
    ...sourceParts(url, title),
  ];
}

function callOf(message: JsonObject): unknown {
  const { parts } = readContent(message['content'], new Map());
  return toolInput(textIn(parts) ?? message['content']);
}

function textIn(parts: readonly MessagePart[]): string | null {
  const texts = parts.filter((part) => part.type === 'text').map((part) => String(part['text']));
  return texts.length === 0 ? null : texts.join('\n\n');
}
