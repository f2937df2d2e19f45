/** Conversations of LibreChat: nested children, a list whose messages name their parents, or a list in order. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { attachedFiles, dataPart, filePart, sourceParts, textParts } from '../shared/parts.js';

/** Members that the graph carries. */
const LINKED = ['messageId', 'parentMessageId', 'children'];
/** Citation marks in a text: private-use characters, which models also write as escapes. */
const CITED = /(?:[\ue200-\ue206]|\\ue20[0-6])(?:turn\d+[a-z]+\d+)?/g;

export const libreChat: ValueReader = {
  name: 'librechat',
  label: 'LibreChat',
  claims: (value) =>
    'conversationId' in value && (Array.isArray(value['messages']) || Array.isArray(value['messagesTree'])),
  read: (value) => [readConversation(value)],
};

function readConversation(value: JsonObject): FoundSource {
  const { conversationId, title, messages, messagesTree, createdAt, updatedAt, ...original } = value;
  const id = idOf(conversationId);
  if (id === null) throw new UnreadableError('the conversation has no conversationId');
  const graph = new SourceGraph();
  const list = arrayOf(messagesTree ?? messages);
  const isLinked = list.some((message) => 'parentMessageId' in objectOf(message) || 'children' in objectOf(message));
  // Depth first, without recursion: replies are nested in `children`.
  const open = list.map((message) => ({ message: objectOf(message), parent: null as string | null })).reverse();
  let previous: string | null = null;
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { message, parent } = item;
    const added = graph.add({
      id: message['messageId'],
      parent: parent ?? (isLinked ? message['parentMessageId'] : previous),
      createdAt: anyToMs(message['createdAt']),
      content: () => contentOf(message),
    });
    previous = added;
    for (const child of arrayOf(message['children']).toReversed())
      open.push({ message: objectOf(child), parent: added });
  }
  const { model, promptPrefix, system } = objectOf(value['options']);
  return foundConversation({
    source: 'librechat',
    id,
    title,
    createTime: createdAt,
    updateTime: updatedAt,
    graph,
    system: promptPrefix ?? system,
    details: { model },
    original,
  });
}

function contentOf(message: JsonObject): NodeContent {
  const { text, content, isCreatedByUser, sender, createdAt, files, attachments, quotes } = message;
  const blocks = blockParts(content);
  const ownParts = (blocks.length > 0 ? blocks : textParts(text)).map(withoutMarks);
  const [only] = ownParts;
  const isCarried = ownParts.length === 1 && only?.['text'] === text;
  return {
    role: isCreatedByUser === true ? 'user' : isCreatedByUser === false ? 'assistant' : roleOf(sender),
    parts: [
      ...ownParts,
      ...(arrayOf(quotes).length > 0 ? [dataPart('quotes', quotes)] : []),
      ...[...arrayOf(files), ...arrayOf(attachments)].flatMap(attachedParts),
    ],
    attached: attachedFiles([...arrayOf(files), ...arrayOf(attachments), ...imagesIn(content)].map(pointedFile)),
    createTime: createdAt,
    original: without(message, ...LINKED, ...(isCarried ? ['text'] : [])),
    fingerprinted: [text ?? null, content ?? null],
  };
}

function withoutMarks(part: MessagePart): MessagePart {
  return part.type === 'text' ? { ...part, text: String(part['text']).replace(CITED, '') } : part;
}

/** Images among the blocks of a message, such as those of an assistant. */
function imagesIn(content: unknown): unknown[] {
  return arrayOf(content).map((block) => objectOf(block)['image_file']);
}

/** The path has the id of the stored content, in `/images/<user>/<id>__photo.png`; other values are names of storages. */
function pointedFile(file: unknown) {
  const { filepath, file_id, type, filename } = objectOf(file);
  const path = /^\/|:/.test(textOf(filepath) ?? '') ? filepath : null;
  return { pointers: [path, file_id], mediaType: type, filename };
}

/** A file, or a tool's findings, whose pages become sources. */
function attachedParts(file: unknown): MessagePart[] {
  const { filepath, type, filename, file_id, web_search: search } = objectOf(file);
  const { organic, topStories, references } = objectOf(search);
  const pages = [...arrayOf(organic), ...arrayOf(topStories), ...arrayOf(references)].map(objectOf);
  const sources = new Map(
    pages.flatMap(({ link, title }) => sourceParts(link, title)).map((part) => [part['url'], part]),
  );
  if (sources.size > 0) return [...sources.values()];
  const url = textOf(filepath);
  if (url !== null && /^(https?|data):/.test(url)) return [filePart(url, type, filename)];
  return [dataPart(url === null && file_id === undefined ? (textOf(type) ?? 'file') : 'file', file)];
}
