/** Conversations of Grok: the account export of 2025 and 2026, and its API's response for one conversation. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, FoundSource, MessagePart, NodeContent } from '../../source-conversation.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { roleOf } from '../shared/chat-message.js';
import { dataPart, filePart, isText, reasoningParts, sourceParts, textParts, toolInput } from '../shared/parts.js';

/** The server of generated files: exports have only the path. */
const ASSETS = 'https://assets.grok.com/';
/** The positions of cards in a text. */
const CARDS = / ?<grok:render\b[^<>]*>(?:(?!<grok:render\b)[^])*?<\/grok:render>/g;
const ATTACHMENTS = ['image_attachments', 'file_attachments', 'imageAttachments', 'fileAttachments'];

/** @param createTime the time in the file */
function grokContent(response: JsonObject, createTime: unknown): NodeContent {
  const { sender, query, error } = response;
  const role = roleOf(sender);
  // Some questions are only in the query. The query of an answer is a search term.
  const message = textOf(response['message']) ?? (role === 'user' ? textOf(query) : null);
  const text = message === null ? null : withoutCards(message);
  const trace = response['thinking_trace'] ?? response['thinkingTrace'] ?? null;
  const agents = listOf(response, 'agent_thinking_traces', 'agentThinkingTraces').map(
    (agent) => objectOf(agent)['thinking_trace'] ?? objectOf(agent)['thinkingTrace'],
  );
  const attached = ATTACHMENTS.flatMap((name) => arrayOf(response[name]));
  const parts = withCards(response, [
    ...reasoningParts(...new Set([trace, ...agents])),
    ...textParts(text),
    ...listOf(response, 'generated_image_urls', 'generatedImageUrls').flatMap(imageParts),
    ...attached.map((each) => dataPart('attachment', each)),
    ...(isText(error) ? [dataPart('error', error)] : []),
  ]);
  const steps = arrayOf(response['steps']);
  const isCarried = text !== null && text === textOf(response['message']);
  return {
    role,
    parts: parts.length > 0 || steps.length === 0 ? parts : [dataPart('steps', steps)],
    // Ids of files in the export's zip.
    attached: attached.flatMap((id) => (isText(id) ? [filePart(id, null)] : [])),
    createTime,
    original: without(response, 'parent_response_id', 'parentResponseId', ...(isCarried ? ['message'] : [])),
    fingerprinted: [response['message'] ?? null, trace],
  };
}

function withoutCards(text: string): string {
  return text.replace(CARDS, (card, at: number) => {
    const isBetweenWords =
      card.startsWith(' ') && /^[^\s.,;:!?)\]]/.test(text.slice(at + card.length, at + card.length + 1));
    return isBetweenWords ? ' ' : '';
  });
}

/** The text with the content of its cards and each found page once. */
function withCards(response: JsonObject, parts: MessagePart[]): MessagePart[] {
  const found = [
    ...listOf(response, 'cited_web_search_results', 'citedWebSearchResults'),
    ...listOf(response, 'web_search_results', 'webSearchResults'),
  ];
  const cards = listOf(response, 'card_attachments_json', 'cardAttachmentsJson').map(toolInput);
  const pages = found.map(objectOf).flatMap(({ url, title }) => sourceParts(url, title));
  const all = [...parts, ...cards.flatMap(cardParts), ...pages];
  const seen = new Set<unknown>();
  return all.filter(({ type, url }) => !isText(url) || (!seen.has(type + url) && seen.add(type + url)));
}

function cardParts(card: unknown): MessagePart[] {
  const { url, title, image, image_chunk: generated } = objectOf(card);
  const { original, thumbnail, link, title: name } = objectOf(image);
  const shown = [
    ...sourceParts(url, title),
    ...imageParts(objectOf(generated)['imageUrl']),
    ...imageParts(textOf(original) ?? thumbnail),
    ...sourceParts(link, name),
  ];
  return shown.length > 0 ? shown : [dataPart('card', card)];
}

function imageParts(url: unknown): MessagePart[] {
  return isText(url) ? [filePart(/^[a-z]+:/i.test(url) ? url : ASSETS + url, 'image/*')] : [];
}

function listOf(response: JsonObject, ...names: readonly string[]): readonly unknown[] {
  return names.map((name) => arrayOf(response[name])).find((list) => list.length > 0) ?? [];
}

export const grok: ValueReader = {
  name: 'grok',
  label: 'Grok',
  claims: (value) =>
    Array.isArray(value['responses']) && (isJsonObject(value['conversation']) || 'conversationId' in value),
  read: (value) => [readConversation(value)],
};

function readConversation(value: JsonObject): FoundSource {
  const { responses, conversation: inner, ...outer } = value;
  const about = isJsonObject(inner) ? inner : outer;
  const id = idOf(about['conversation_id'], about['conversationId'], about['id'], about['_id']);
  if (id === null) throw new UnreadableError('the conversation has no id');
  const list = arrayOf(responses).map((each) => objectOf(objectOf(each)['response'] ?? each));
  const isTree = list.some((response) => parentOf(response) !== null);
  const graph = new SourceGraph();
  for (const response of list) {
    graph.add({
      id: idOf(response['response_id'], response['responseId'], response['_id']),
      parent: isTree ? parentOf(response) : graph.last,
      createdAt: anyToMs(createTimeOf(response)),
      content: () => grokContent(response, createTimeOf(response)),
    });
  }
  const active = idOf(about['leaf_response_id'], about['leafResponseId']);
  return foundConversation({
    source: 'grok',
    id,
    title: about['title'],
    createTime: timeOf(about['create_time'] ?? about['createTime']),
    updateTime: timeOf(about['modify_time'] ?? about['modifyTime']),
    graph,
    active,
    activeMember: active === null ? null : 'leaf_response_id',
    original: isJsonObject(inner) ? { ...outer, ...inner } : about,
  });
}

function parentOf(response: JsonObject): string | null {
  return idOf(response['parent_response_id'], response['parentResponseId']);
}

function createTimeOf(response: JsonObject): unknown {
  return timeOf(response['create_time'] ?? response['createTime']);
}

/** A time in the database's export format: {"$date": {"$numberLong": "1750534101177"}}. */
function timeOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const date = value['$date'];
  const number = objectOf(date)['$numberLong'];
  return typeof number === 'string' && /^\d+$/.test(number) ? Number(number) : date;
}
