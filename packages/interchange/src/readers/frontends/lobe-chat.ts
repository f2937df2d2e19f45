/** Exports of LobeChat: all messages of an account or a session, which name their topic, in the form of browsers and of servers. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, titleFromFirstUser } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf } from '../shared/members.js';
import { reasoningParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs, timeOf } from '../shared/times.js';

export const lobeChat: ValueReader = {
  name: 'lobe-chat',
  label: 'LobeChat',
  claims: (value) => {
    const messages = stateOf(value)?.['messages'];
    return Array.isArray(messages) && 'role' in objectOf(messages[0]);
  },
  *read(value) {
    const { messages, topics, sessions } = stateOf(value) ?? {};
    const about = new Map(
      [...arrayOf(sessions), ...arrayOf(topics)].map(objectOf).map((each) => [String(each['id']), each]),
    );
    for (const [id, list] of grouped(arrayOf(messages).map(objectOf))) yield readTopic(id, list, about.get(id) ?? {});
  },
};

/** The exported tables: in `state` from browsers, in `data` from servers. */
function stateOf(value: JsonObject): JsonObject | null {
  if (isJsonObject(value['state']) && 'exportType' in value) return value['state'];
  return isJsonObject(value['data']) && 'schemaHash' in value ? value['data'] : null;
}

/** By topic; messages without one by their session. */
function grouped(messages: readonly JsonObject[]): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const message of messages) {
    const id = idOf(message['topicId'], message['sessionId']) ?? 'inbox';
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [message]);
    else group.push(message);
  }
  return groups;
}

function readTopic(id: string, list: readonly JsonObject[], about: JsonObject): FoundSource {
  if (list.length === 0) throw new UnreadableError('the topic has no messages');
  const time = (message: JsonObject) => anyToMs(timeOf(message)) ?? 0;
  const messages = list.toSorted((a, b) => time(a) - time(b));
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  for (const message of messages) {
    const known = withCalls(message);
    calls.note(callsOf(known, known['content']));
    previous = graph.add({
      id: message['id'],
      parent: idOf(message['parentId']) ?? previous,
      createdAt: anyToMs(timeOf(message)),
      content: () => contentOf(known, calls),
    });
  }
  return foundConversation({
    source: 'lobe-chat',
    id,
    title: textOf(about['title']) ?? titleFromFirstUser(messages, ({ content }) => content),
    createTime: about['createdAt'],
    updateTime: about['updatedAt'],
    graph,
    active: previous,
    details: { model: objectOf(messages.at(-1)?.['extra'])['model'] ?? messages.at(-1)?.['model'] },
    original: {},
  });
}

/** Calls are in `tools`, with their function's name in `apiName`. */
function withCalls(message: JsonObject): JsonObject {
  const tools = arrayOf(message['tools']).map(objectOf);
  if (tools.length === 0) return message;
  return { ...message, tool_calls: tools.map(({ apiName, ...tool }) => ({ ...tool, name: apiName })) };
}

function contentOf(message: JsonObject, calls: Calls): NodeContent {
  const { role, content, reasoning } = message;
  const linked = ['id', 'role', 'parentId', 'topicId', 'sessionId', 'tool_calls'];
  const made = chatContent({ message, role, content, createTime: timeOf(message) }, linked, calls.above);
  return { ...made, parts: [...reasoningParts(objectOf(reasoning)['content']), ...made.parts] };
}
