/** Prompts of Google AI Studio, as they lie in Google Drive: a list of chunks, in newer files with branches. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { MessagePart, NodeContent, SourceConversation } from '../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { dataPart, filePart, reasoningParts, sourceParts, textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

const SYSTEM = 'system-instruction';
/** Members of a chunk that are what it says, beside text. */
const FILES = ['driveDocument', 'driveImage', 'driveVideo', 'driveAudio', 'youtubeVideo'];
const OTHERS = ['executableCode', 'codeExecutionResult', 'functionCall', 'functionResponse', 'errorMessage'];

export const aiStudio: ValueReader = {
  name: 'ai-studio',
  label: 'Google AI Studio',
  claims: (value) => isJsonObject(value['chunkedPrompt']),
  read: (value) => [readPrompt(value)],
};

function readPrompt(prompt: JsonObject): SourceConversation {
  const { id, displayName, title, createTime, updateTime, chunkedPrompt, systemInstruction, ...others } = prompt;
  const { chunks, ...rest } = objectOf(chunkedPrompt);
  const list = arrayOf(chunks).map(objectOf);
  const conversationId = idOf(id) ?? contentId([list[0]?.['text'], list[0]?.['createTime'] ?? null]);
  if (conversationId === null || list.length === 0)
    throw new UnreadableError('the prompt has neither an id nor chunks');
  const graph = new SourceGraph();
  let previous: string | null = null;
  const instruction = instructionOf(systemInstruction);
  if (instruction !== null) {
    const content = (): NodeContent => ({
      role: 'system',
      parts: textParts(instruction),
      original: {},
      said: instruction,
    });
    previous = graph.add({ id: SYSTEM, parent: null, createdAt: null, content });
  }
  const ids = new Set(list.map((chunk) => chunk['id']));
  for (const [n, chunk] of list.entries()) {
    const parent = objectOf(chunk['branchParent'])['id'];
    previous = graph.add({
      id: idOf(chunk['id']) ?? `chunk-${n + 1}`,
      // The parent may also be another prompt, of which this one is a branch.
      parent: parent !== undefined && ids.has(parent) ? parent : previous,
      createdAt: anyToMs(chunk['createTime']),
      content: () => contentOf(chunk),
    });
  }
  return foundConversation({
    source: 'ai-studio',
    id: conversationId,
    title: displayName ?? title,
    createTime,
    updateTime,
    graph,
    active: previous,
    details: { model: objectOf(prompt['runSettings'])['model'] },
    original: { ...others, ...(Object.keys(rest).length > 0 ? { chunkedPrompt: rest } : {}) },
  });
}

function instructionOf(value: unknown): string | null {
  const { text, parts } = objectOf(value);
  const texts = [text, ...arrayOf(parts).map((part) => objectOf(part)['text'])].filter((each) => textOf(each) !== null);
  return texts.length === 0 ? null : texts.join('\n\n');
}

function contentOf(chunk: JsonObject): NodeContent {
  const { text, parts, role, isThought, createTime, grounding } = chunk;
  const own = textOf(text);
  // The text is its parts put together.
  const said =
    own === null ? arrayOf(parts).flatMap(partOf) : isThought === true ? reasoningParts(own) : textParts(own);
  const pages = [
    ...arrayOf(objectOf(grounding)['groundingChunks']),
    ...arrayOf(objectOf(grounding)['groundingSources']),
  ];
  return {
    role: roleOf(role),
    parts: [
      ...said,
      ...FILES.filter((name) => name in chunk).map((name) => dataPart(name, chunk[name])),
      ...[chunk['inlineFile'], chunk['inlineData'], chunk['inlineImage']].filter(isJsonObject).map(inlinePart),
      ...OTHERS.filter((name) => name in chunk).map((name) => dataPart(name, chunk[name])),
      ...pages.flatMap((page) => pageParts(objectOf(page))),
    ],
    createTime,
    original: without(chunk, 'branchParent', 'branchChildren', ...(own === null ? [] : ['text'])),
    said: own ?? parts ?? null,
  };
}

function partOf(part: unknown): MessagePart[] {
  const { text, thought } = objectOf(part);
  if (textOf(text) === null) return isJsonObject(part) ? [dataPart('part', part)] : [];
  return thought === true ? reasoningParts(text) : textParts(text);
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
