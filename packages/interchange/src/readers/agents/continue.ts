/** Sessions of Continue (~/.continue/sessions/….json): messages, each with the context that was added to it. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, FoundSource, NodeContent } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without } from '../shared/members.js';
import { dataPart, reasoningParts } from '../shared/parts.js';

export const continueSession: ValueReader = {
  name: 'continue',
  label: 'Continue',
  claims: ({ sessionId, history }) => {
    const first = objectOf(arrayOf(history)[0]);
    return idOf(sessionId) !== null && 'message' in first && 'contextItems' in first;
  },
  read: (value) => [readSession(value)],
};

function readSession({ sessionId, title, history, ...original }: JsonObject): FoundSource {
  const id = idOf(sessionId);
  if (id === null) throw new UnreadableError('the session has no sessionId');
  const graph = new SourceGraph();
  const calls = new Calls();
  for (const [n, item] of arrayOf(history).map(objectOf).entries()) {
    const message = objectOf(item['message']);
    calls.note(callsOf(message, message['content']));
    const messageId = idOf(message['id']) ?? String(n + 1);
    graph.append({ id: messageId, createdAt: null, content: () => contentOf(message, item, calls) });
  }
  return foundConversation({
    source: 'continue',
    id,
    title,
    graph,
    active: graph.last,
    details: { model: original['chatModelTitle'] },
    original,
  });
}

function contentOf(message: JsonObject, item: JsonObject, calls: Calls): NodeContent {
  const { role, content } = message;
  const context = arrayOf(item['contextItems']).map((each) => dataPart('context', each));
  const rest = without(item, 'message', 'contextItems');
  if (role === 'thinking') {
    const made = { role: 'assistant' as const, parts: reasoningParts(content), fingerprinted: content ?? null };
    return { ...made, original: { ...without(message, 'role', 'content'), ...rest } };
  }
  const thoughts = textOf(objectOf(item['reasoning'])['text']);
  const known = thoughts === null ? message : { ...message, reasoning: thoughts };
  const made = chatContent(
    { message: known, role, content, others: context },
    ['role', 'id', 'reasoning'],
    calls.above,
  );
  return { ...made, original: { ...made.original, ...rest } };
}
