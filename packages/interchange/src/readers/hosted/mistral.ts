/** Chats of Mistral's Le Chat: a file for each chat with a list of messages in any order, and a folder with its files. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, titleFrom, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { callPart, dataPart, filePart, isText, textParts, toolInput, toolPart } from '../shared/parts.js';

export const mistral: LinesReader = {
  name: 'mistral',
  label: 'Mistral Le Chat',
  claims: isMessage,
  continues: isMessage,
  keyOf: ({ chatId }) => idOf(chatId),
  readAll: (values) => [readChat(values)],
};

function isMessage(value: JsonObject): boolean {
  return idOf(value['chatId']) !== null && 'contentChunks' in value && 'role' in value;
}

function readChat(values: readonly JsonObject[]): FoundSource {
  const time = (message: JsonObject) => anyToMs(message['createdAt']) ?? 0;
  const messages = values.toSorted((a, b) => time(a) - time(b));
  const id = idOf(messages[0]?.['chatId']);
  if (id === null) throw new UnreadableError('the messages have no chatId');
  const graph = new SourceGraph();
  for (const message of messages) {
    const { id, createdAt } = message;
    graph.append({ id, createdAt: anyToMs(createdAt), content: () => contentOf(message) });
  }
  const question = messages.find(({ role }) => role === 'user')?.['content'];
  const title = titleFrom(textOf(question) ?? '');
  return foundConversation({ source: 'mistral', id, title, graph, active: graph.last, original: {} });
}

function contentOf(message: JsonObject): NodeContent {
  const { role, content, contentChunks, createdAt, files, canvas, quotes, chatId } = message;
  const chunks = arrayOf(contentChunks).map(objectOf);
  const ownParts = chunks.length > 0 ? joined(chunks.flatMap(chunkParts)) : textParts(content);
  const names = arrayOf(files).map((file) => textOf(objectOf(file)['name']));
  const isCarried = ownParts.length === 1 && ownParts[0]?.['text'] === content;
  return {
    role: roleOf(role),
    parts: [
      ...ownParts,
      ...arrayOf(canvas).map((each) => dataPart('canvas', each)),
      ...arrayOf(quotes).map((each) => dataPart('quote', each)),
      ...arrayOf(files).map((each) => dataPart('attachment', each)),
    ],
    attached: names.filter(isText).map((name) => filePart(`chat-${idOf(chatId)}-files/${name}`, null, name)),
    createTime: createdAt,
    original: without(message, 'id', 'chatId', 'contentChunks', ...(isCarried ? ['content'] : [])),
    fingerprinted: [content ?? null, contentChunks ?? null],
  };
}

/** References split a sentence into chunks. */
function joined(parts: readonly MessagePart[]): MessagePart[] {
  const all: MessagePart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type !== 'text' || last?.type !== 'text') all.push(part);
    else all[all.length - 1] = { ...last, text: `${String(last['text'])}${String(part['text'])}` };
  }
  return all;
}

function chunkParts(chunk: JsonObject): MessagePart[] {
  const { type, text, id, name, publicArguments, publicResult, success } = chunk;
  if (type === 'text') return textParts(text);
  if (type === 'reference') return [];
  if (type !== 'tool_call') return [dataPart(textOf(type) ?? 'chunk', chunk)];
  const call = { id: idOf(id) ?? 'call', name: textOf(name) ?? 'tool', input: toolInput(publicArguments) };
  if (success === false) return [toolPart(call, { error: textOf(publicResult) ?? 'the tool failed' })];
  return [publicResult == null ? callPart(call) : toolPart(call, { output: publicResult })];
}
