/** Sessions of Gemini CLI: messages of the user and of gemini, with thoughts and calls, as one object or line by line. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { callPart, reasoningParts, toolPart } from '../shared/parts.js';

export const geminiCli: ValueReader = {
  name: 'gemini-cli',
  label: 'Gemini CLI',
  claims: (value) => 'sessionId' in value && 'projectHash' in value && Array.isArray(value['messages']),
  read: (value) => [readSession(value, arrayOf(value['messages']).map(objectOf), false)],
};

export const geminiCliLines: LinesReader = {
  name: 'gemini-cli-lines',
  label: 'Gemini CLI (lines)',
  claims: (value) => 'sessionId' in value && 'projectHash' in value && !('messages' in value),
  continues: (value, first) =>
    CHANGES.some((change) => change in value) ||
    ('type' in value && 'content' in value) ||
    // Session metadata is written again in later lines.
    ('sessionId' in value && !('messages' in value) && value['sessionId'] === first?.['sessionId']),
  readAll: ([session, ...lines]) => [readLines(objectOf(session), lines)],
};

const CHANGES = ['$set', '$rewindTo', '$patch'];

function readLines(first: JsonObject, lines: readonly JsonObject[]): FoundSource {
  let session = first;
  const entries: JsonObject[] = [];
  for (const line of lines) {
    const { messages, ...known } = objectOf(line['$set']);
    if ('projectHash' in line) session = { ...session, ...line };
    else if ('$set' in line) session = { ...session, ...known };
    if ('content' in line || '$rewindTo' in line || '$patch' in line) entries.push(line);
    // All messages are written again; missing ones were taken back.
    if (messages !== undefined) entries.push({ $rewindTo: null }, ...arrayOf(messages).map(objectOf));
  }
  return readSession(session, entries, true);
}

/**
 * @param lines messages, and changes of them
 * @param isLog whether a message that is written again replaces the earlier version
 */
function readSession(session: JsonObject, lines: readonly JsonObject[], isLog: boolean): FoundSource {
  const { sessionId, startTime, lastUpdated, messages: _, ...original } = session;
  const id = idOf(sessionId);
  if (id === null) throw new UnreadableError('the session has no sessionId');
  const graph = new SourceGraph();
  const latest = new Map<string, JsonObject>();
  const above = new Map<string, string | null>();
  let previous: string | null = null;
  let renamed = 0;
  for (const [n, line] of lines.entries()) {
    if ('$rewindTo' in line) {
      // Messages up to there stay; later ones start another branch.
      previous = above.get(String(line['$rewindTo'])) ?? null;
      continue;
    }
    if ('$patch' in line) {
      patch(latest, objectOf(line['$patch']));
      continue;
    }
    const own = idOf(line['id']) ?? `#${n + 1}`;
    const before = latest.get(own);
    const isSame = before?.['type'] === line['type'];
    // Another speaker's message cannot replace it, and a question with another text begins another branch.
    const isChanged = contentId(before?.['content'] ?? null) !== contentId(line['content'] ?? null);
    const isOther = before !== undefined && (!isSame || (isChanged && (!isLog || line['type'] === 'user')));
    const messageId = isOther ? `${own}#${n + 1}` : own;
    if (isOther) renamed++;
    if (isOther && isSame && isLog) previous = above.get(own) ?? null;
    const isNew = !latest.has(messageId);
    latest.set(messageId, line);
    if (isNew) {
      above.set(messageId, previous);
      graph.add({
        id: messageId,
        parent: previous,
        createdAt: anyToMs(line['timestamp']),
        content: () => contentOf(latest.get(messageId) ?? {}),
      });
    }
    previous = messageId;
  }
  return foundConversation({
    source: 'gemini-cli',
    id,
    title: session['summary'],
    createTime: startTime,
    updateTime: lastUpdated,
    graph,
    active: previous,
    isUndone: lines.some((line) => '$rewindTo' in line),
    original,
    warnings: renamed > 0 ? [`${renamed} of its messages have the id of another one, and got new ids`] : [],
  });
}

/** New members of a message: one change, or a list of changes. */
function patch(messages: Map<string, JsonObject>, change: JsonObject): void {
  for (const { id, ...members } of arrayOf(change['updates'] ?? [change]).map(objectOf)) {
    const message = messages.get(String(id));
    if (message === undefined) continue;
    const changes = new Map(arrayOf(members['toolCalls']).map((call) => [objectOf(call)['id'], objectOf(call)]));
    const toolCalls = arrayOf(message['toolCalls']).map((call) => ({
      ...objectOf(call),
      ...changes.get(objectOf(call)['id']),
    }));
    messages.set(String(id), { ...message, ...members, ...(toolCalls.length > 0 ? { toolCalls } : {}) });
  }
}

function contentOf(message: JsonObject): NodeContent {
  const { type, content, thoughts, toolCalls, timestamp } = message;
  return {
    // Messages of the program itself become the system's.
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
    fingerprinted: [content ?? null, toolCalls ?? null],
  };
}

function callOf({ id, name, args, result, resultDisplay, status }: JsonObject): MessagePart {
  const call = { id: textOf(id) ?? 'call', name: textOf(name) ?? 'tool', input: args };
  const answers = arrayOf(result).map((part) => objectOf(objectOf(objectOf(part)['functionResponse'])['response']));
  const [answer] = answers.length === 1 ? answers : [];
  const isNone = Array.isArray(result) && result.length === 0;
  const output = answer?.['output'] ?? answer?.['error'] ?? answer ?? (isNone ? null : result) ?? resultDisplay;
  if (output === undefined || output === null) return callPart(call);
  if (status === 'error' || status === 'cancelled')
    return toolPart(call, { error: typeof output === 'string' ? output : JSON.stringify(output) });
  return toolPart(call, { output });
}
