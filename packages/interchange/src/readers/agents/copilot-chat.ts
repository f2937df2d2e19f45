/** Sessions of Copilot Chat in VS Code: the file that "Chat: Export Chat" writes, and stored sessions as an object or a log. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, ValueReader, MessagePart, FoundSource } from '../../source-conversation.js';
import { foundConversation, titleFrom, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, identity, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { callPart, dataPart, reasoningParts, textParts, toolPart } from '../shared/parts.js';

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
  let shown: string | null = null;
  for (const [n, request] of list.entries()) {
    const { message, response, timestamp } = request;
    const requestId = idOf(request['requestId']) ?? String(n + 1);
    const createdAt = anyToMs(timestamp);
    graph.append({
      id: requestId,
      createdAt,
      content: () => ({
        role: 'user',
        parts: [...textParts(questionIn(message)), ...attachmentsOf(request)],
        createTime: timestamp,
        original: {},
        fingerprinted: message ?? null,
      }),
    });
    if (Array.isArray(response)) {
      graph.append({
        id: idOf(request['responseId']) ?? `${requestId}-response`,
        createdAt,
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
    if (!isJsonObject(request['shouldBeRemovedOnSend'])) shown = graph.last;
  }
  return foundConversation({
    source: 'copilot-chat',
    ...own,
    title: textOf(customTitle) ?? titleFrom(questionIn(first['message'])),
    createTime: creationDate,
    updateTime: lastMessageDate,
    graph,
    active: shown ?? graph.last,
    isUndone: shown !== null && shown !== graph.last,
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

/** The kinds of lines in the log of a session in VS Code: the first line has a state, and each other line a change of it. */
export const [STATE, SET, PUSH, DELETE] = [0, 1, 2, 3];

/**
 * The last state of a session.
 * @throws UnreadableError for a change of something that the state does not contain
 */
function replayed(lines: readonly JsonObject[]): JsonObject {
  let state: JsonObject = {};
  for (const { kind, k, v, i } of lines) {
    if (kind === STATE) {
      state = objectOf(v);
      continue;
    }
    const path = arrayOf(k);
    const key = path.at(-1);
    const holder = path.slice(0, -1).reduce(memberOf, state);
    if (path.length === 0 || !canHold(holder, key)) throw new UnreadableError('a line changes a missing value');
    const members = holder as Record<string | number, unknown>;
    const name = key as string | number;
    if (kind !== PUSH) members[name] = kind === SET ? v : undefined;
    else push((members[name] = Array.isArray(members[name]) ? members[name] : []), arrayOf(v), i);
  }
  return state;
}

function memberOf(holder: unknown, key: unknown): unknown {
  return canHold(holder, key) ? (holder as Record<string | number, unknown>)[key as string | number] : undefined;
}

/** An array can be extended by one element only, and an object has no inherited members. */
function canHold(holder: unknown, key: unknown): boolean {
  if (Array.isArray(holder)) return Number.isInteger(key) && Number(key) >= 0 && Number(key) <= holder.length;
  if (typeof holder !== 'object' || holder === null || typeof key !== 'string') return false;
  return Object.hasOwn(holder, key) || !(key in holder);
}

/** @param start the number of elements to keep; undefined keeps all */
function push(list: unknown[], added: readonly unknown[], start: unknown): void {
  if (typeof start === 'number') list.splice(Math.max(0, start));
  for (const each of added) list.push(each);
}
