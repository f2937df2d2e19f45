/** The backup of Cherry Studio (`data.json`): topics with messages, whose content is in blocks or, in older versions, a text. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, titleFromFirstUser, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, withoutNull, anyToMs } from '../shared/members.js';
import { callPart, dataPart, filePart, reasoningParts, sourceParts, textParts, toolPart } from '../shared/parts.js';

/** By id, and by the id of their message. Broken backups repeat ids. */
interface Blocks {
  byId: ReadonlyMap<string, readonly JsonObject[]>;
  byMessage: ReadonlyMap<string, readonly JsonObject[]>;
}

export const cherryStudio: ValueReader = {
  name: 'cherry-studio',
  label: 'Cherry Studio',
  claims: ({ indexedDB }) => isJsonObject(indexedDB) && Array.isArray(indexedDB['topics']),
  *read({ indexedDB, localStorage }) {
    const { topics, message_blocks } = objectOf(indexedDB);
    const all = arrayOf(message_blocks).map(objectOf);
    const blocks = { byId: groupedBy(all, 'id'), byMessage: groupedBy(all, 'messageId') };
    const names = topicsIn(objectOf(localStorage));
    const used = arrayOf(topics)
      .map(objectOf)
      .filter(({ messages }) => arrayOf(messages).length > 0);
    if (used.length === 0) throw new UnreadableError('no topic has messages');
    for (const topic of used) yield readTopic(topic, names.get(String(topic['id'])) ?? {}, blocks);
  },
};

/** The names, times and system prompts of topics, in the stored state of the page: JSON in JSON. */
function topicsIn(storage: JsonObject): ReadonlyMap<string, JsonObject> {
  const { assistants } = objectOf(parsed(objectOf(parsed(storage['persist:cherry-studio']))['assistants']));
  const topics = arrayOf(assistants)
    .map(objectOf)
    .flatMap(({ topics, prompt }) => arrayOf(topics).map((topic) => ({ prompt, ...withoutNull(objectOf(topic)) })));
  return new Map(topics.map((topic: JsonObject) => [String(topic['id']), topic]));
}

function groupedBy(objects: readonly JsonObject[], member: string): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const object of objects) {
    const key = String(object[member]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [object]);
    else group.push(object);
  }
  return groups;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return null;
  }
}

function readTopic(topic: JsonObject, about: JsonObject, blocks: Blocks): FoundSource {
  const id = idOf(topic['id']);
  if (id === null) throw new UnreadableError('the topic has no id');
  const messages = arrayOf(topic['messages']).map(objectOf);
  const graph = new SourceGraph();
  let previous: string | null = null;
  let chosen: string | null = null;
  for (const message of messages) {
    const { askId, foldSelected, createdAt } = message;
    // Answers of several models to one question are siblings; the topic continues from the selected one.
    const asked = idOf(askId);
    const isAnswer = asked !== null && asked !== idOf(message['id']) && graph.has(asked);
    const parent: string | null = isAnswer ? asked : (chosen ?? previous);
    if (!isAnswer) chosen = null;
    const content = () => contentOf(message, blocks);
    previous = graph.add({ id: message['id'], parent, createdAt: anyToMs(createdAt), content });
    if (foldSelected === true) chosen = previous;
  }
  const firstText = (message: JsonObject) =>
    contentOf(message, blocks).parts.find(({ type }) => type === 'text')?.['text'];
  return foundConversation({
    source: 'cherry-studio',
    id,
    system: about['prompt'],
    title: textOf(about['name']) ?? titleFromFirstUser(messages, firstText),
    createTime: about['createdAt'],
    updateTime: about['updatedAt'],
    graph,
    active: chosen ?? previous,
    details: { model: objectOf(messages.at(-1)?.['model'])['id'] },
    original: without(topic, 'id', 'messages'),
  });
}

function contentOf(message: JsonObject, { byId, byMessage }: Blocks): NodeContent {
  const { role, content, createdAt } = message;
  const listed = [...new Set(arrayOf(message['blocks']).map(String))].flatMap((id): readonly JsonObject[] => {
    const found = byId.get(id) ?? [];
    const ofMessage = found.filter((block) => block['messageId'] === message['id']);
    return ofMessage.length > 0 ? ofMessage : found.slice(0, 1);
  });
  // Messages of older versions have a text instead.
  const isOlder = listed.length === 0 && textOf(content) !== null;
  const own = isOlder ? [] : [...new Set([...listed, ...(byMessage.get(String(message['id'])) ?? [])])];
  const old = [...reasoningParts(message['reasoning_content']), ...textParts(content)];
  return {
    role: roleOf(role),
    parts: own.length > 0 ? own.flatMap(partsOfBlock) : old,
    createTime: createdAt,
    original: without(message, 'id', 'role', 'askId', 'blocks', 'content', 'reasoning_content'),
    fingerprinted: own.length > 0 ? own : (content ?? null),
  };
}

function partsOfBlock(block: JsonObject): MessagePart[] {
  const { type, content, url, language, error } = block;
  switch (type) {
    case 'main_text':
    case 'compact':
      return textParts(content);
    case 'thinking':
      return reasoningParts(content);
    case 'code':
      return textOf(content) === null ? [] : textParts(`\`\`\`${textOf(language) ?? ''}\n${String(content)}\n\`\`\``);
    case 'tool': {
      const { toolId, toolName, arguments: input } = block;
      const call = { id: idOf(block['id'], toolId) ?? 'call', name: textOf(toolName) ?? idOf(toolId) ?? 'tool', input };
      return [content == null ? callPart(call) : toolPart(call, { output: content })];
    }
    case 'image':
      return textOf(url) === null ? [dataPart('image', block)] : [filePart(String(url), 'image/*')];
    case 'error':
      return textParts(objectOf(error)['message']);
    case 'citation': {
      const { results } = objectOf(block['response']);
      const pages = arrayOf(results).flatMap((page) => sourceParts(objectOf(page)['url'], objectOf(page)['title']));
      return pages.length > 0 ? pages : [dataPart('citation', block)];
    }
    default:
      return type === 'unknown' ? [] : [dataPart(textOf(type) ?? 'block', block)];
  }
}
