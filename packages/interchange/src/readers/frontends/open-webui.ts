/** Chats of Open WebUI: its exported list, or a single chat. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import {
  attachedFiles,
  dataPart,
  filePart,
  isText,
  reasoningParts,
  sourceParts,
  textParts,
  callPart,
  toolInput,
  toolPart,
} from '../shared/parts.js';
import { unescapedHtml } from '../shared/html-text.js';

/**
 * A code fence, which quotes markup, or the start of a <details> block: before `output` existed, answers had reasoning, calls and code in
 * their text, each in such a block.
 */
const BEGINNING = /^[ \t]*```|<details\b([^<>]*)>/gm;
const END = '</details>';
const TYPES = ['reasoning', 'tool_calls', 'code_interpreter'];

type Attributes = ReadonlyMap<string, string>;

/** The text without the blocks, and the blocks as parts in their place. Other <details> stay in the text. */
function detailedParts(content: string): MessagePart[] {
  const parts: MessagePart[] = [];
  let from = 0;
  let isFenced = false;
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(content); found !== null; found = BEGINNING.exec(content)) {
    if (found[1] === undefined) isFenced = !isFenced;
    if (found[1] === undefined || isFenced) continue;
    const attributes = attributesOf(found[1]);
    if (!TYPES.includes(attributes.get('type') ?? '')) continue;
    const start = BEGINNING.lastIndex;
    const end = content.indexOf(END, start);
    if (end === -1) break;
    const block = detailParts(attributes, content.slice(start, end), `call-${parts.length + 1}`);
    parts.push(...textParts(content.slice(from, found.index).trim()), ...block);
    from = BEGINNING.lastIndex = end + END.length;
  }
  return parts.length === 0 ? textParts(content) : [...parts, ...textParts(content.slice(from).trim())];
}

/** @param callId the id of a call without one, unique within the message */
function detailParts(attributes: Attributes, inner: string, callId: string): MessagePart[] {
  const body = withoutSummary(inner);
  const type = attributes.get('type');
  if (type === 'reasoning') return reasoningParts(quotedText(body));
  const isCode = type === 'code_interpreter';
  const call = {
    id: textOf(attributes.get('id')) ?? callId,
    name: isCode ? 'code_interpreter' : (textOf(attributes.get('name')) ?? 'tool'),
    input: isCode ? { code: unfenced(body) } : argumentsIn(attributes),
  };
  const result = isCode ? attributes.get('output') : (attributes.get('result') ?? textOf(unescapedHtml(body)));
  return [typeof result === 'string' ? toolPart(call, { output: valueOf(result) }) : callPart(call)];
}

function unfenced(body: string): string {
  return body.replace(/^```[^\n]*\n/, '').replace(/\n?```$/, '');
}

function attributesOf(text: string): Attributes {
  return new Map(
    [...text.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescapedHtml(value),
    ]),
  );
}

function withoutSummary(inner: string): string {
  const start = inner.indexOf('<summary>');
  const end = start === -1 ? -1 : inner.indexOf('</summary>', start);
  return (end === -1 ? inner : inner.slice(0, start) + inner.slice(end + '</summary>'.length)).trim();
}

/** Reasoning is quoted, and escaped since 2025; the escaped quote mark shows which. */
function quotedText(body: string): string {
  const text = /^&gt;/m.test(body) ? unescapedHtml(body) : body;
  return text.replace(/^> ?/gm, '').trim();
}

/** JSON, or a JSON text that contains JSON. */
function argumentsIn(attributes: Attributes): unknown {
  return toolInput(valueOf(attributes.get('arguments') ?? ''));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export const openWebUi: ValueReader = {
  name: 'open-webui',
  label: 'Open WebUI',
  claims: (value) => isChat(value['chat']) || isHistory(value['history']),
  read: (value) => [readChat(value)],
};

/** Chats of 2023 can have only a list of the shown messages instead of a history. */
function isChat(value: unknown): boolean {
  return isJsonObject(value) && (isHistory(value['history']) || Array.isArray(value['messages']));
}

function isHistory(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value['messages']);
}

function readChat(value: JsonObject): FoundSource {
  const isListed = isChat(value['chat']);
  const chat = isListed ? objectOf(value['chat']) : value;
  const { history, messages: shown, ...others } = chat;
  const { messages, currentId } = objectOf(history);
  const nodes = objectOf(messages);
  const graph = new SourceGraph();
  for (const id of Object.keys(nodes)) {
    const node = nodes[id];
    if (!isJsonObject(node)) continue;
    const { parentId, childrenIds, timestamp } = node;
    graph.add({
      id,
      parent: parentId,
      children: childrenIds,
      createdAt: anyToMs(timestamp),
      content: () => contentOf(node),
    });
  }
  const isFlat = graph.ids.length === 0;
  for (const message of isFlat ? arrayOf(shown).map(objectOf) : []) {
    const createdAt = anyToMs(message['timestamp']);
    graph.append({ id: message['id'], createdAt, content: () => contentOf(message) });
  }
  const first = graph.ids[0];
  const id = idOf(value['id'], chat['id']);
  if (id === null && first === undefined) throw new UnreadableError('the chat has neither an id nor messages');
  const outer = isListed ? without(value, 'id', 'title', 'chat', 'created_at', 'updated_at') : {};
  const models = arrayOf(chat['models']).filter(isText);
  return foundConversation({
    source: 'open-webui',
    id,
    formerId: JSON.stringify(['first', first]),
    title: value['title'] ?? chat['title'],
    createTime: value['created_at'] ?? chat['timestamp'],
    updateTime: value['updated_at'],
    graph,
    active: isFlat ? graph.last : currentId,
    activeMember: isFlat ? null : 'currentId',
    system: objectOf(chat['params'])['system'] ?? chat['system'],
    details: models.length > 0 ? { models } : {},
    original: { ...without(others, 'id', 'title', 'timestamp'), ...outer },
  });
}

function contentOf(message: JsonObject): NodeContent {
  const { role, content, output, timestamp, files, sources, citations, merged } = message;
  const ownParts = contentParts(message);
  const [only] = ownParts;
  const isCarried = ownParts.length === 1 && only?.['text'] === content;
  return {
    role: roleOf(role),
    parts: [
      ...ownParts,
      // The merged answer of several models, which continues in place of this one.
      ...textParts(objectOf(merged)['content']),
      ...errorParts(message, ownParts),
      ...arrayOf(files).map(fileOf),
      ...[...arrayOf(sources), ...arrayOf(citations)].flatMap((each) => citedParts(objectOf(each))),
    ],
    attached: attachedFiles([...arrayOf(files).flatMap(pointedFile), ...shownImages(content)]),
    createTime: timestamp,
    original: without(message, 'id', 'parentId', 'childrenIds', ...(isCarried ? ['content'] : [])),
    fingerprinted: [
      content ?? null,
      output ?? null,
      ...(message['content_list'] === undefined ? [] : [message['content_list']]),
    ],
  };
}

function contentParts({ role, content, output, content_list: phases }: JsonObject): MessagePart[] {
  if (textOf(content) === null && Array.isArray(phases)) return phases.flatMap((each) => phaseParts(objectOf(each)));
  // The user's text can also contain <details>.
  if (roleOf(role) !== 'assistant' || typeof content !== 'string') {
    return Array.isArray(content) ? blockParts(content) : textParts(content);
  }
  if (!Array.isArray(output) || output.length === 0) return detailedParts(content);
  const parts = outputParts(output);
  const isSaid = parts.some(({ type }) => type === 'text');
  return isSaid ? parts : [...parts, ...detailedParts(content).filter(({ type }) => type === 'text')];
}

/** A phase of Qwen's answers: thoughts, a search, or the answer. */
function phaseParts({ phase, content, ...rest }: JsonObject): MessagePart[] {
  if (phase === 'think' || phase === 'thinking') return reasoningParts(content);
  return textOf(content) === null ? [dataPart(textOf(phase) ?? 'phase', rest)] : textParts(content);
}

/** Items of the Responses API: messages with blocks as content, with reasoning, calls and results between them. */
function outputParts(output: readonly unknown[]): MessagePart[] {
  const blocks = output.flatMap((item) => {
    const { type, content, id, code, output: result } = objectOf(item);
    if (type === 'message') return Array.isArray(content) ? (content as unknown[]) : [content ?? ''];
    if (type === 'reasoning' && Array.isArray(content) && content.length > 0) {
      return content.map((block: unknown) => ({ type: 'reasoning', text: objectOf(block)['text'] }));
    }
    if (type === 'open_webui:code_interpreter') {
      return [{ type: 'function_call', id, name: 'code_interpreter', input: { code }, output: result }];
    }
    return [item];
  });
  return blockParts(blocks);
}

/** A failed answer has only an error. */
function errorParts({ error }: JsonObject, ownParts: readonly MessagePart[]): MessagePart[] {
  if (error === undefined || error === null || error === false) return [];
  const { content, message } = objectOf(error);
  const words = ownParts.length > 0 ? [] : textParts(textOf(error) ?? textOf(content) ?? textOf(message));
  return words.length > 0 ? words : [dataPart('error', error)];
}

function fileOf(file: unknown): MessagePart {
  const { url, type, name } = objectOf(file);
  const address = textOf(url);
  if (address === null || !/^(https?|data):/.test(address)) return dataPart('file', file);
  return filePart(address, type === 'image' ? 'image/*' : null, name);
}

/** Collections, notes, chats and pages have no content of their own. */
function pointedFile(file: unknown) {
  const { type, url, id, name, file: stored, content_type: mediaType } = objectOf(file);
  if (type !== 'image' && type !== 'file' && type !== 'doc') return [];
  const { content_type: storedType } = objectOf(objectOf(stored)['meta']);
  return [
    {
      pointers: [url, id],
      mediaType: mediaType ?? storedType ?? (type === 'image' ? 'image/*' : null),
      filename: name,
    },
  ];
}

/** Images of the server in Markdown. */
const SHOWN = /!\[[^\]]*\]\((\/(?:api\/v1\/files|cache\/image)\/[^)\s]+)\)/g;

function shownImages(content: unknown) {
  if (typeof content !== 'string') return [];
  return [...content.matchAll(SHOWN)].map(([, url]) => ({ pointers: [url], mediaType: 'image/*' }));
}

/** Pages by their addresses. The source is a page, or a tool that found pages. */
function citedParts({ source, metadata }: JsonObject): MessagePart[] {
  const { name, url } = objectOf(source);
  const found = arrayOf(metadata).map(objectOf);
  const pages = [
    ...[url, name].map((page) => ({ page, title: name })),
    ...found.flatMap((each) =>
      [each['url'], each['source']].map((page) => ({ page, title: each['title'] ?? each['name'] })),
    ),
  ];
  const parts = pages.flatMap(({ page, title }) => sourceParts(page, title === page ? undefined : title));
  return [...new Map(parts.toReversed().map((part) => [part['url'], part])).values()].toReversed();
}
