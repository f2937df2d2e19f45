/** Chats of Open WebUI: the list that it exports, or a single one. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { MessagePart, NodeContent, SourceConversation } from '../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { dataPart, filePart, reasoningParts, sourceParts, textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

/** How thoughts stood in the text before there was `output`. */
const DETAILS = /<details\b[^>]*\btype="reasoning"[^>]*>\s*(?:<summary>[\s\S]*?<\/summary>)?([\s\S]*?)<\/details>\s*/g;

export const openWebUi: ValueReader = {
  name: 'open-webui',
  label: 'Open WebUI',
  claims: (value) => isHistory(objectOf(value['chat'])['history']) || isHistory(value['history']),
  read: (value) => [readChat(value)],
};

function isHistory(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value['messages']);
}

function readChat(value: JsonObject): SourceConversation {
  const isListed = isHistory(objectOf(value['chat'])['history']);
  const chat = isListed ? objectOf(value['chat']) : value;
  const { history, messages: _, ...others } = chat;
  const { messages, currentId } = objectOf(history);
  const nodes = objectOf(messages);
  const graph = new SourceGraph();
  for (const id of Object.keys(nodes)) {
    const { parentId, childrenIds, timestamp } = objectOf(nodes[id]);
    graph.add({
      id,
      parent: parentId,
      children: childrenIds,
      createdAt: anyToMs(timestamp),
      content: () => contentOf(objectOf(nodes[id])),
    });
  }
  const first = graph.ids[0];
  const id = idOf(value['id'], chat['id']) ?? (first === undefined ? null : JSON.stringify(['first', first]));
  if (id === null) throw new UnreadableError('the chat has neither an id nor messages');
  const outer = isListed ? without(value, 'id', 'title', 'chat', 'created_at', 'updated_at') : {};
  const models = arrayOf(chat['models']);
  return foundConversation({
    source: 'open-webui',
    id,
    title: value['title'] ?? chat['title'],
    createTime: value['created_at'] ?? chat['timestamp'],
    updateTime: value['updated_at'],
    graph,
    active: currentId,
    activeMember: 'currentId',
    details: models.length > 0 ? { models } : {},
    original: { ...without(others, 'id', 'title', 'timestamp'), ...outer },
  });
}

function contentOf(message: JsonObject): NodeContent {
  const { role, content, output, timestamp, files, sources, citations } = message;
  const said = Array.isArray(output) && output.length > 0 ? outputParts(output) : textWithThoughts(content);
  const [only] = said;
  const isCarried = said.length === 1 && only?.['text'] === content;
  return {
    role: roleOf(role),
    parts: [
      ...said,
      ...arrayOf(files).map(fileOf),
      ...[...arrayOf(sources), ...arrayOf(citations)].flatMap((each) => citedParts(objectOf(each))),
    ],
    createTime: timestamp,
    original: without(message, 'id', 'parentId', 'childrenIds', ...(isCarried ? ['content'] : [])),
    said: [content ?? null, output ?? null],
  };
}

/** Items of the Responses API: messages, whose content is blocks, and reasoning, calls and their results between them. */
function outputParts(output: readonly unknown[]): MessagePart[] {
  const blocks = output.flatMap((item) => {
    const { type, content } = objectOf(item);
    if (type === 'message') return Array.isArray(content) ? (content as unknown[]) : [content ?? ''];
    if (type === 'reasoning' && Array.isArray(content) && content.length > 0) {
      return content.map((block: unknown) => ({ type: 'reasoning', text: objectOf(block)['text'] }));
    }
    return [item];
  });
  return blockParts(blocks);
}

function textWithThoughts(content: unknown): MessagePart[] {
  if (typeof content !== 'string') return blockParts(content);
  const parts: MessagePart[] = [];
  let end = 0;
  for (const match of content.matchAll(DETAILS)) {
    const thought = (match[1] ?? '').replace(/^(?:>|&gt;) ?/gm, '').trim();
    parts.push(...textParts(content.slice(end, match.index).trim()), ...reasoningParts(thought));
    end = match.index + match[0].length;
  }
  return parts.length === 0 ? textParts(content) : [...parts, ...textParts(content.slice(end))];
}

function fileOf(file: unknown): MessagePart {
  const { url, type, name } = objectOf(file);
  const address = textOf(url);
  if (address === null || !/^(https?|data):/.test(address)) return dataPart('file', file);
  return filePart(address, type === 'image' ? 'image/*' : null, name);
}

function citedParts({ source, metadata }: JsonObject): MessagePart[] {
  const { name, url } = objectOf(source);
  const pages = [url, name, ...arrayOf(metadata).map((each) => objectOf(each)['source'])].map(textOf);
  return [...new Set(pages)].flatMap((page) => sourceParts(page, page === name ? undefined : name));
}
