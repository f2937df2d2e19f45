/** Messages a line: {id?, parentId?, name or role, content, createdAt?}. A file is a conversation. */
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { SourceConversation } from '../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { contentId, idOf, type JsonObject } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

/** Members by which other formats with a content are told. */
const OTHERS = ['message', 'messages', 'mes', 'type', 'message_id', 'convId', 'uuid', 'chat_messages'];

export const plainLines: LinesReader = {
  name: 'lines',
  label: 'JSON Lines of messages',
  claims: isMessage,
  continues: isMessage,
  readAll: (values) => [readLines(values)],
};

function isMessage(value: JsonObject): boolean {
  const speaker = value['name'] ?? value['role'];
  return 'content' in value && typeof speaker === 'string' && !OTHERS.some((name) => name in value);
}

function readLines(lines: readonly JsonObject[]): SourceConversation {
  const [first] = lines;
  const id =
    idOf(first?.['chatId'], first?.['conversationId']) ?? contentId([first?.['id'] ?? null, first?.['content']]);
  if (id === null) throw new UnreadableError('nothing identifies the conversation');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  for (const [n, message] of lines.entries()) {
    const { name, role, content, createdAt } = message;
    calls.note(callsOf(message, content));
    previous = graph.add({
      id: idOf(message['id']) ?? String(n + 1),
      // Who says nothing of a parent follows the line before.
      parent: 'parentId' in message ? message['parentId'] : previous,
      createdAt: anyToMs(createdAt),
      content: () =>
        chatContent({ message, role: role ?? name, content, createTime: createdAt }, ['id', 'parentId'], calls.above),
    });
  }
  return foundConversation({ source: 'lines', id, title: null, graph, active: previous, original: {} });
}
