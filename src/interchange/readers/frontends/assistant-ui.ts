/** Threads of assistant-ui, as its runtime exports them: messages with their parents, and the head. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { ValueReader } from '../reader.js';
import type { SourceConversation } from '../source-conversation.js';
import { chatContent } from '../shared/chat-message.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, type JsonObject } from '../shared/members.js';
import { dataPart } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const assistantUi: ValueReader = {
  name: 'assistant-ui',
  label: 'assistant-ui',
  claims: ({ messages }) => {
    const first: unknown = Array.isArray(messages) ? messages[0] : null;
    return isJsonObject(first) && 'parentId' in first && isJsonObject(first['message']);
  },
  read: (value) => [readThread(value)],
};

function readThread(thread: JsonObject): SourceConversation {
  const { headId, messages, id, title, ...original } = thread;
  const graph = new SourceGraph();
  for (const value of arrayOf(messages)) {
    const { parentId, message: inner } = objectOf(value);
    const message = objectOf(inner);
    graph.add({
      id: message['id'],
      parent: parentId,
      createdAt: anyToMs(message['createdAt']),
      content: () => {
        const { role, content, createdAt, attachments } = message;
        const others = arrayOf(attachments).map((each) => dataPart('attachment', each));
        // Those that it makes of messages of the AI SDK have parts.
        const said = content ?? message['parts'];
        return chatContent({ message, role, content: said, createTime: createdAt, others }, ['id']);
      },
    });
  }
  const first = graph.ids[0];
  const threadId = idOf(id, thread['threadId']) ?? (first === undefined ? null : JSON.stringify(['first', first]));
  if (threadId === null) throw new UnreadableError('the thread has neither an id nor messages');
  return foundConversation({
    source: 'assistant-ui',
    id: threadId,
    title,
    graph,
    active: headId,
    activeMember: 'headId',
    original,
  });
}
