/** Sessions of Qwen Code: lines that name the line before them, with Gemini's content, and lines of metadata. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';

export const qwenCode: LinesReader = {
  name: 'qwen-code',
  label: 'Qwen Code',
  claims: isQwenLine,
  continues: (value) =>
    isQwenLine(value) || (isOfSession(value) && value['type'] === 'system' && !('content' in value)),
  readAll(lines) {
    const sessions = new Map<string, JsonObject[]>();
    for (const line of lines) {
      // A subagent has a file of its own with the id of the session that started it.
      const agent = idOf(line['agentId']);
      const id = `${String(line['sessionId'])}${agent === null ? '' : `/${agent}`}`;
      const session = sessions.get(id);
      if (session === undefined) sessions.set(id, [line]);
      else session.push(line);
    }
    const read = [...sessions].filter(([, session]) => session.some(isSaid));
    if (read.length === 0) throw new UnreadableError('it contains sessions without messages');
    return read.map(([id, session]) => readSession(id, session));
  },
};

function isSaid(line: JsonObject): boolean {
  return isJsonObject(line['message']);
}

function isOfSession(value: JsonObject): boolean {
  return typeof value['uuid'] === 'string' && textOf(value['sessionId']) !== null;
}

/** Whether a line is not one of Claude Code, whose lines have the same links. */
export function isQwenLine(value: JsonObject): boolean {
  const isTyped = value['type'] === 'tool_result' || isJsonObject(value['systemPayload']);
  return isOfSession(value) && (isTyped || Array.isArray(objectOf(value['message'])['parts']));
}

function readSession(id: string, lines: readonly JsonObject[]): FoundSource {
  const messages = lines.filter(isSaid);
  const graph = new SourceGraph();
  const calls = new Calls();
  const groups = messageGroups(lines);
  let last: string | null = null;
  let title: string | null = null;
  let isUndone = false;
  for (const line of lines) {
    const group = groups.get(line);
    if (group === undefined) continue;
    if (line['subtype'] === 'custom_title') title = textOf(objectOf(line['systemPayload'])['customTitle']) ?? title;
    if (line['subtype'] === 'rewind') isUndone = true;
    const message = messageOf(group);
    calls.note(callsOf(message, message['parts']));
    last = graph.add({
      id: line['uuid'],
      parent: line['parentUuid'],
      previous: last,
      isKept: isSaid(line),
      createdAt: anyToMs(line['timestamp']),
      content: () => contentOf(line, messageOf(group), calls),
    });
  }
  const leftOut = lines.length - messages.length;
  const { cwd, gitBranch, version } = objectOf(lines[0]);
  return foundConversation({
    source: 'qwen-code',
    id,
    title,
    createTime: lines[0]?.['timestamp'],
    updateTime: lines.at(-1)?.['timestamp'],
    graph,
    active: last,
    isUndone,
    details: { model: messages.findLast((line) => textOf(line['model']) !== null)?.['model'] },
    original: { cwd, gitBranch, version },
    warnings:
      leftOut > 0 ? [`${leftOut} of its lines describe the session and contain no message: they are left out`] : [],
  });
}

/** The lines of each message by its first one: a message can be written in several lines with one id. */
function messageGroups(lines: readonly JsonObject[]): Map<JsonObject, JsonObject[]> {
  const groups = new Map<JsonObject, JsonObject[]>();
  const open = new Map<string | null, JsonObject[]>();
  for (const line of lines) {
    const key = contentId([line['uuid'], line['parentUuid'], line['type']]);
    const group = key === null || !isSaid(line) || line['type'] === 'user' ? undefined : open.get(key);
    if (group !== undefined) {
      if (!group.some((other) => contentId(other['message']) === contentId(line['message']))) group.push(line);
      continue;
    }
    groups.set(line, [line]);
    open.set(key, groups.get(line) ?? []);
  }
  return groups;
}

/** The message with the parts of all its lines. */
function messageOf(group: readonly JsonObject[]): JsonObject {
  const parts = group.flatMap((line) => arrayOf(objectOf(line['message'])['parts']));
  return { ...objectOf(group[0]?.['message']), parts };
}

function contentOf(line: JsonObject, message: JsonObject, calls: Calls): NodeContent {
  const { type, timestamp: createTime, subtype } = line;
  const role = type === 'tool_result' ? 'assistant' : (message['role'] ?? type);
  const content = chatContent({ message, role, content: message['parts'], createTime }, ['role'], calls.above);
  return {
    ...content,
    // Messages of the program, in the user's name.
    hidden: subtype === 'notification' || subtype === 'cron',
    original: { ...content.original, entry: without(line, 'uuid', 'parentUuid', 'message') },
  };
}
