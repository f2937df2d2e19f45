/** Sessions of Gemini CLI: messages of the user and of gemini, with thoughts and calls, as one object or line by line. */
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader, ValueReader } from '../reader.js';
import type { MessagePart, NodeContent, SourceConversation } from '../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { foundConversation } from '../shared/conversation.js';
import { arrayOf, idOf, objectOf, textOf, without, type JsonObject } from '../shared/members.js';
import { callPart, reasoningParts, toolPart } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

export const geminiCli: ValueReader = {
  name: 'gemini-cli',
  label: 'Gemini CLI',
  claims: (value) => 'sessionId' in value && 'projectHash' in value && Array.isArray(value['messages']),
  read: (value) => [readSession(value, arrayOf(value['messages']).map(objectOf))],
};

export const geminiCliLines: LinesReader = {
  name: 'gemini-cli-lines',
  label: 'Gemini CLI (lines)',
  claims: (value) => 'sessionId' in value && 'projectHash' in value && !('messages' in value),
  continues: (value) => '$set' in value || '$rewindTo' in value || ('type' in value && 'content' in value),
  readAll: ([session, ...lines]) => [
    readSession(
      objectOf(session),
      lines.filter((line) => 'content' in line),
    ),
  ],
};

function readSession(session: JsonObject, messages: readonly JsonObject[]): SourceConversation {
  const { sessionId, startTime, lastUpdated, messages: _, ...original } = session;
  const id = idOf(sessionId);
  if (id === null) throw new UnreadableError('the session has no sessionId');
  const graph = new SourceGraph();
  // A message that is written again is the same one, as it became.
  const latest = new Map(messages.map((message, n) => [idOf(message['id']) ?? `#${n + 1}`, message]));
  let previous: string | null = null;
  for (const [messageId, message] of latest) {
    previous = graph.add({
      id: messageId,
      parent: previous,
      createdAt: anyToMs(message['timestamp']),
      content: () => contentOf(message),
    });
  }
  return foundConversation({
    source: 'gemini-cli',
    id,
    title: session['summary'],
    createTime: startTime,
    updateTime: lastUpdated,
    graph,
    original,
  });
}

function contentOf(message: JsonObject): NodeContent {
  const { type, content, thoughts, toolCalls, timestamp } = message;
  return {
    // What the program says of itself is neither's.
    role: type === 'user' ? 'user' : type === 'gemini' || type === 'model' ? 'assistant' : 'system',
    parts: [
      ...arrayOf(thoughts).flatMap((thought) => {
        const { subject, description } = objectOf(thought);
        return reasoningParts(subject, description);
      }),
      ...blockParts(content),
      ...arrayOf(toolCalls).map((call) => callOf(objectOf(call))),
    ],
    createTime: timestamp,
    original: without(message, 'id', 'timestamp', ...(typeof content === 'string' ? ['content'] : [])),
    said: [content ?? null, toolCalls ?? null],
  };
}

function callOf({ id, name, args, result, resultDisplay, status }: JsonObject): MessagePart {
  const call = { id: textOf(id) ?? 'call', name: textOf(name) ?? 'tool', input: args };
  const answers = arrayOf(result).map((part) => objectOf(objectOf(objectOf(part)['functionResponse'])['response']));
  const output = answers.length === 1 ? (answers[0]?.['output'] ?? answers[0]) : (result ?? resultDisplay);
  if (output === undefined || output === null) return callPart(call);
  if (status === 'error')
    return toolPart(call, { error: typeof output === 'string' ? output : JSON.stringify(output) });
  return toolPart(call, { output });
}
