/** Prompts of Google AI Studio from Google Drive: a list of chunks, with branches in newer files. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, titleFrom, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, identity, idOf, objectOf, textOf, without, withoutNull, anyToMs } from '../shared/members.js';
import { dataPart, filePart, reasoningParts, sourceParts, textParts } from '../shared/parts.js';

const SYSTEM = 'system-instruction';
/** Members of a chunk with content other than text: driveDocument, driveImage and so on. */
const FILES = /^(?:drive[A-Z]\w*|youtubeVideo)$/;
const OTHERS = ['executableCode', 'codeExecutionResult', 'functionCall', 'functionResponse', 'errorMessage'];
const INLINE = ['inlineFile', 'inlineData', 'inlineImage'];
/** Members without content of their own. */
const ABOUT = [
  'id',
  'role',
  'text',
  'parts',
  'createTime',
  'tokenCount',
  'isThought',
  'thinkingBudget',
  'branchParent',
];

export const aiStudio: ValueReader = {
  name: 'ai-studio',
  label: 'Google AI Studio',
  claims: (value) => isJsonObject(value['chunkedPrompt']),
  read: (value, title) => [readPrompt(value, title)],
};

function readPrompt(prompt: JsonObject, fileTitle: string | null): FoundSource {
  const { id, displayName, title, createTime, updateTime, chunkedPrompt, systemInstruction, ...others } = prompt;
  const { chunks, ...rest } = objectOf(chunkedPrompt);
  const list = arrayOf(chunks).map(objectOf);
  const opening = openingOf(list);
  const own = identity([id], null, fileTitle === null ? opening : [fileTitle, opening]);
  if (list.length === 0) throw new UnreadableError('the prompt has neither an id nor chunks');
  const question = list.find(({ role, text }) => roleOf(role) === 'user' && textOf(text) !== null);
  const graph = new SourceGraph();
  const ids = new Set(list.map((chunk) => chunk['id']));
  for (const [n, chunk] of list.entries()) {
    const parent = objectOf(chunk['branchParent'])['id'];
    graph.add({
      id: idOf(chunk['id']) ?? `chunk-${n + 1}`,
      // The parent can be in another prompt, from which this one branched.
      parent: parent !== undefined && ids.has(parent) ? parent : graph.last,
      createdAt: anyToMs(chunk['createTime']),
      content: () => contentOf(chunk),
    });
  }
  return foundConversation({
    source: 'ai-studio',
    ...own,
    system: systemInstruction,
    systemId: SYSTEM,
    title: displayName ?? title ?? fileTitle ?? titleFrom(textOf(question?.['text']) ?? ''),
    createTime,
    updateTime,
    graph,
    active: graph.last,
    details: { model: objectOf(prompt['runSettings'])['model'] },
    original: { ...others, ...(Object.keys(rest).length > 0 ? { chunkedPrompt: rest } : {}) },
  });
}

/**
 * Identifies a prompt within its name: files in Drive have no id. Without a time, many begin with the same question or file;
 * then it is everything up to the first answer.
 */
function openingOf(chunks: readonly JsonObject[]): unknown[] {
  const isEnough = (chunk: JsonObject) =>
    'createTime' in chunk || (roleOf(chunk['role']) === 'assistant' && chunk['isThought'] !== true);
  const last = chunks.findIndex(isEnough);
  return chunks.slice(0, last === -1 ? chunks.length : last + 1).map((chunk) => {
    const files = Object.keys(chunk).filter((name) => FILES.test(name));
    return [chunk['text'] ?? null, chunk['createTime'] ?? null, ...files.map((name) => chunk[name])];
  });
}

function contentOf(chunk: JsonObject): NodeContent {
  const { text, parts, role, isThought, createTime, grounding } = chunk;
  const own = textOf(text);
  // The text joins the parts that have text.
  const others = arrayOf(parts).filter((part) => own === null || textOf(objectOf(part)['text']) === null);
  const ownParts = [...(isThought === true ? reasoningParts(own) : textParts(own)), ...others.flatMap(partOf)];
  const pages = [
    ...arrayOf(objectOf(grounding)['groundingChunks']),
    ...arrayOf(objectOf(grounding)['groundingSources']),
  ];
  const shown = [
    ...ownParts,
    ...Object.keys(chunk)
      .filter((name) => FILES.test(name))
      .map((name) => dataPart(name, chunk[name])),
    ...INLINE.map((name) => chunk[name])
      .filter(isJsonObject)
      .map(inlinePart)
      .filter(({ url }) => url === undefined || !ownParts.some((part) => part['url'] === url)),
    ...OTHERS.filter((name) => name in chunk).map((name) => dataPart(name, chunk[name])),
    ...pages.flatMap((page) => pageParts(objectOf(page))),
  ];
  const rest = withoutNull(without(chunk, ...ABOUT, 'branchChildren'));
  return {
    role: roleOf(role),
    // Such as the reason for a missing answer.
    parts: shown.length > 0 || Object.keys(rest).length === 0 ? shown : [dataPart('chunk', rest)],
    createTime,
    original: without(chunk, 'branchParent', 'branchChildren', ...(own === null ? [] : ['text'])),
    fingerprinted: own ?? parts ?? null,
  };
}

function partOf(part: unknown): MessagePart[] {
  const { text, thought, ...others } = objectOf(part);
  if (textOf(text) !== null) return thought === true ? reasoningParts(text) : textParts(text);
  return Object.entries(without(others, 'thoughtSignature')).map(([name, value]) => {
    return INLINE.includes(name) && isJsonObject(value) ? inlinePart(value) : dataPart(name, value);
  });
}

function inlinePart(file: JsonObject): MessagePart {
  const { data, mimeType } = file;
  if (textOf(data) === null) return dataPart('inlineFile', file);
  return filePart(`data:${textOf(mimeType) ?? 'application/octet-stream'};base64,${String(data)}`, mimeType);
}

function pageParts(page: JsonObject): MessagePart[] {
  const web = objectOf(page['web'] ?? page);
  return sourceParts(web['uri'] ?? web['url'], web['title']);
}
