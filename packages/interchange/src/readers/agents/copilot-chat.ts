/** Sessions of Copilot Chat in VS Code: the file that "Chat: Export Chat" writes, and stored sessions as an object or a log. */
import { isJsonObject, type JsonObject } from '../../json-object.js';
import type { LinesReader, ValueReader } from '../reader.js';
import type { MessagePart, FoundSource } from '../../source-conversation.js';
import { foundConversation, titleFrom } from '../shared/conversation.js';
import { arrayOf, identity, idOf, objectOf, textOf, without } from '../shared/members.js';
import { callPart, dataPart, reasoningParts, textParts, toolPart } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';
import { DELETE, PUSH, replayed, SET, STATE } from './copilot-chat-log.js';

/** Steps of a response without content of their own. */
const STEPS = new Set(['undoStop', 'prepareToolInvocation', 'mcpServersStarting', 'codeblockUri']);

export const copilotChat: ValueReader = {
  name: 'copilot-chat',
  label: 'Copilot Chat',
  claims: (value) => {
    const first = Array.isArray(value['requests']) ? objectOf(value['requests'][0]) : {};
    return 'message' in first && 'response' in first;
  },
  read: (value) => [readSession(value)],
};

export const copilotChatLines: LinesReader = {
  name: 'copilot-chat-lines',
  label: 'Copilot Chat (lines)',
  claims: ({ kind, v }) => kind === STATE && Array.isArray(objectOf(v)['requests']),
  continues: ({ kind, k }) => [SET, PUSH, DELETE].includes(Number(kind)) && Array.isArray(k),
  readAll: (lines) => [readSession(replayed(lines))],
};

function readSession(session: JsonObject): FoundSource {
  const { requests, sessionId, customTitle, creationDate, lastMessageDate, ...original } = session;
  const list = arrayOf(requests).map(objectOf);
  const first = list[0] ?? {};
  const own = identity([sessionId], null, [first['requestId'] ?? null, first['message'] ?? null]);
  const graph = new SourceGraph();
  let previous: string | null = null;
  let shown: string | null = null;
  for (const [n, request] of list.entries()) {
    const { message, response, timestamp } = request;
    const requestId = idOf(request['requestId']) ?? String(n + 1);
    const createdAt = anyToMs(timestamp);
    const common = { createdAt, parent: previous };
    previous = graph.add({
      ...common,
      id: requestId,
      content: () => ({
        role: 'user',
        parts: [...textParts(questionIn(message)), ...attachmentsOf(request)],
        createTime: timestamp,
        original: {},
        fingerprinted: message ?? null,
      }),
    });
    if (Array.isArray(response)) {
      previous = graph.add({
        ...common,
        parent: previous,
        id: idOf(request['responseId']) ?? `${requestId}-response`,
        content: () => ({
          role: 'assistant',
          parts: responseParts(response.map(objectOf)),
          createTime: timestamp,
          original: without(request, 'requestId', 'responseId', 'message', 'response', 'variableData', 'timestamp'),
          fingerprinted: response,
        }),
      });
    }
    // The next question removes those that an undo took back.
    if (!isJsonObject(request['shouldBeRemovedOnSend'])) shown = previous;
  }
  return foundConversation({
    source: 'copilot-chat',
    ...own,
    title: textOf(customTitle) ?? titleFrom(questionIn(first['message'])),
    createTime: creationDate,
    updateTime: lastMessageDate,
    graph,
    active: shown ?? previous,
    isUndone: shown !== null && shown !== previous,
    details: { model: first['modelId'] },
    original,
  });
}

function questionIn(message: unknown): string {
  return textOf(message) ?? textOf(objectOf(message)['text']) ?? '';
}

function attachmentsOf(request: JsonObject): MessagePart[] {
  return arrayOf(objectOf(request['variableData'])['variables']).map((each) => dataPart('attachment', each));
}

/** Markdown is in pieces, between which files and symbols are named: pieces become one text. */
function responseParts(pieces: readonly JsonObject[]): MessagePart[] {
  const parts: MessagePart[] = [];
  let text = '';
  const flush = () => {
    parts.push(...textParts(text.trim() === '' ? '' : text));
    text = '';
  };
  for (const piece of pieces) {
    const { kind } = piece;
    if (STEPS.has(String(kind))) continue;
    const words = markdownIn(piece);
    if (words !== null) {
      text += words;
      continue;
    }
    flush();
    if (kind === 'thinking') parts.push(...reasoningParts(...[piece['value']].flat()));
    else if (kind === 'toolInvocationSerialized') parts.push(callIn(piece));
    else parts.push(dataPart(textOf(kind) ?? 'response', piece));
  }
  flush();
  return parts;
}

function markdownIn(piece: JsonObject): string | null {
  const { kind, value, content, inlineReference, name } = piece;
  if (kind === undefined) return typeof value === 'string' ? value : null;
  if (kind === 'markdownContent' || kind === 'markdownVuln') return wordsOf(content);
  if (kind !== 'inlineReference') return null;
  const { path, fsPath, uri, name: symbol } = objectOf(inlineReference);
  const file = textOf(path) ?? textOf(fsPath) ?? textOf(objectOf(uri)['path']);
  const shown = textOf(name) ?? textOf(symbol) ?? file?.split('/').at(-1);
  return shown === undefined ? '' : `\`${shown}\``;
}

function wordsOf(markdown: unknown): string {
  return textOf(markdown) ?? textOf(objectOf(markdown)['value']) ?? '';
}

function callIn(piece: JsonObject): MessagePart {
  const { toolId, toolCallId, invocationMessage, pastTenseMessage, resultDetails } = piece;
  const { input, output } = objectOf(resultDetails);
  const shown = wordsOf(pastTenseMessage) || wordsOf(invocationMessage);
  const call = { id: idOf(toolCallId) ?? 'call', name: textOf(toolId) ?? 'tool', input: input ?? { message: shown } };
  if (!isJsonObject(resultDetails) || output === undefined)
    return shown === '' ? callPart(call) : toolPart(call, { output: shown });
  return toolPart(call, { output });
}
