/** Chat completions, as models are trained on them: {"messages": [{role, content}…]}. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { SourceConversation } from '../source-conversation.js';
import { Calls } from '../shared/calls.js';
import { callsOf, chatContent } from '../shared/chat-message.js';
import { isDesignChat } from '../hosted/claude.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, contentId, idOf, objectOf, type JsonObject } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

/** Members by which other formats that have messages are told. */
const OTHERS = ['conversationId', 'folderId', 'conv', 'history', 'chat_messages', 'mapping', 'sessionId', 'info'];

export const completions: ValueReader = {
  name: 'completions',
  label: 'chat completions',
  claims: (value) => {
    const first: unknown = Array.isArray(value['messages']) ? (value['messages'] as unknown[])[0] : null;
    if (!isJsonObject(first) || typeof first['role'] !== 'string' || OTHERS.some((name) => name in value)) return false;
    return !isDesignChat(value);
  },
  read: (value) => [readConversation(value)],
};

function readConversation(value: JsonObject): SourceConversation {
  const { messages, id, title, created, ...original } = value;
  const list = arrayOf(messages).map(objectOf);
  const conversationId = idOf(id) ?? contentId(list);
  if (conversationId === null) throw new UnreadableError('nothing identifies the conversation');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  for (const [n, message] of list.entries()) {
    const { role, content, parts } = message;
    calls.note(callsOf(message, content));
    previous = graph.add({
      id: idOf(message['id']) ?? String(n + 1),
      parent: previous,
      createdAt: anyToMs(message['createdAt']),
      content: () => chatContent({ message, role, content: content ?? parts }, ['id', 'role'], calls.above),
    });
  }
  return foundConversation({ source: 'completions', id: conversationId, title, createTime: created, graph, original });
}
