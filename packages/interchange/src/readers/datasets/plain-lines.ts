/** A message per line: {id?, parentId?, name or role, content, createdAt?}. Lines without the id of a chat are one conversation. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent, contentOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { identity, idOf, textOf, without, anyToMs, timeOf } from '../shared/members.js';
import { plainMessage, speakerOf, withAdditional } from '../shared/langchain-message.js';

/** Members that identify other formats with a content. */
const OTHERS = ['message', 'messages', 'mes', 'message_id', 'convId', 'uuid', 'chat_messages', 'contentChunks'];

export const plainLines: LinesReader = {
  name: 'lines',
  label: 'JSON Lines of messages',
  // Other formats have lines of these types, too.
  claims: (value) => isMessage(value) && value['type'] !== 'reasoning' && value['type'] !== 'tool_result',
  continues: isMessage,
  keyOf,
  readAll: (values) => [readLines(values)],
};

function isMessage(value: JsonObject): boolean {
  const message = messageIn(value);
  const { name, role, type, parts } = message;
  const speaker = speakerOf(message);
  const isSaid = message['content'] !== undefined || Array.isArray(parts);
  // Lines with other types belong to sessions of programs.
  const isOwn = type === undefined || type === null || type === 'message' || speaker !== null;
  const author = name ?? role ?? speaker;
  // Kimi CLI has lines about the session.
  const isAuthor = typeof author === 'string' && !author.startsWith('_');
  return isSaid && isOwn && isAuthor && !OTHERS.some((other) => other in value);
}

/** Members that name the chat of a message, in tables of several chats. */
const CHATS = [
  'chatId',
  'chat_id',
  'conversationId',
  'conversation_id',
  'threadId',
  'thread_id',
  'sessionId',
  'session_id',
];

function keyOf(value: JsonObject): string | null {
  return idOf(...CHATS.map((name) => value[name]));
}

/** Types in the sessions of Grok CLI, and the roles that they mean. */
const ROLE_OF_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['reasoning', 'assistant'],
  ['tool_result', 'tool'],
]);

/** The content can be a message of the AI SDK, with the role in it. */
function messageIn(value: JsonObject): JsonObject {
  const message = withAdditional(plainMessage(withRole(value)));
  const { content } = message;
  return isJsonObject(content) && ('parts' in content || 'role' in content)
    ? { ...message, ...without(content, 'id') }
    : message;
}

function withRole(value: JsonObject): JsonObject {
  const { type, role, name, content, ...others } = value;
  const meant = role === undefined && name === undefined ? ROLE_OF_TYPE.get(type) : undefined;
  const isCalling = Array.isArray(others['tool_calls']);
  if (meant === undefined || (content === undefined && !isCalling && type !== 'reasoning')) return value;
  // A thought has a summary and no content.
  if (type !== 'reasoning') return { ...others, role: meant, content: content ?? '' };
  return { id: others['id'], role: meant, content: [{ type, content, ...without(others, 'id') }] };
}

/** Members that name the message above. */
const PARENTS = ['parentId', 'parent_id'];

/** Rows of a database without parents, the newest first: each time is at most that before it. */
function isNewestFirst(lines: readonly JsonObject[]): boolean {
  let [before, first] = [Infinity, null as number | null];
  for (const line of lines) {
    const message = messageIn(line);
    const time = anyToMs(timeOf(message));
    if (time === null || time > before || PARENTS.some((name) => name in message)) return false;
    before = time;
    first ??= time;
  }
  return first !== null && before < first;
}

function readLines(given: readonly JsonObject[]): FoundSource {
  const [first = {}] = given;
  const lines = isNewestFirst(given) ? given.toReversed() : given;
  const begun = plainMessage(first);
  const own = identity([keyOf(first)], begun, [begun['id'] ?? null, begun['content'] ?? begun['parts']]);
  const graph = new SourceGraph();
  const calls = new Calls();
  const answered = new Set<unknown>();
  let previous: string | null = null;
  for (const [n, line] of lines.entries()) {
    const message = messageIn(line);
    const createTime = timeOf(message);
    calls.note(callsOf(message, contentOf(message)));
    const parent = PARENTS.find((member) => member in message);
    // A line without a parent member follows the line before.
    const above: unknown = parent === undefined ? previous : message[parent];
    answered.add(above);
    previous = graph.add({
      id: idOf(message['id']) ?? String(n + 1),
      parent: above,
      previous,
      createdAt: anyToMs(createTime),
      content: () => lineContent(messageIn(line), createTime, calls),
    });
  }
  // Databases can list the newest first.
  const active = answered.has(previous) ? null : previous;
  return foundConversation({ source: 'lines', ...own, title: null, graph, active, original: {} });
}

function lineContent(message: JsonObject, createTime: unknown, calls: Calls): NodeContent {
  const role = message['role'] ?? speakerOf(message) ?? message['name'];
  const content = contentOf(message);
  const made = chatContent({ message, role, content, createTime }, ['id', ...PARENTS], calls.above);
  // Context that Grok CLI sends in the user's name.
  return textOf(message['synthetic_reason']) === null ? made : { ...made, hidden: true };
}
