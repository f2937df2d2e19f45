/** Sessions of the agent pi: a line for the session, then one for each entry, which names the entry that it follows. */
import { type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { Calls, callsOf, chatContent } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { dataPart, textParts } from '../shared/parts.js';

/** Entries with content; the others are steps between them. */
const MESSAGE_TYPES = new Set(['message', 'branch_summary', 'compaction', 'custom_message']);

export const pi: LinesReader = {
  name: 'pi',
  label: 'pi',
  claims: (value) => value['type'] === 'session' && 'cwd' in value && typeof value['id'] === 'string',
  continues: (value) =>
    value['type'] !== 'session' &&
    typeof value['type'] === 'string' &&
    'timestamp' in value &&
    // Lines of other agents have these members.
    !['payload', 'sessionId', 'uuid'].some((name) => name in value),
  readAll: ([session, ...entries]) => [readSession(objectOf(session), entries)],
};

function readSession(session: JsonObject, entries: readonly JsonObject[]): FoundSource {
  const { type: _, id, timestamp, ...original } = session;
  const sessionId = idOf(id);
  if (sessionId === null) throw new UnreadableError('the session has no id');
  const graph = new SourceGraph();
  const calls = new Calls();
  let title: string | null = null;
  let last: string | null = null;
  const steps: JsonObject[] = [];
  for (const entry of entries) {
    const message = objectOf(entry['message']);
    const isKept = MESSAGE_TYPES.has(String(entry['type']));
    calls.note(callsOf(message, message['content']));
    if (entry['type'] === 'session_info') title = textOf(entry['name']) ?? title;
    if (!isKept) steps.push(entry);
    last = graph.add({
      id: entry['id'],
      // Sessions of the first version are a list.
      parent: entry['parentId'],
      previous: last,
      isKept,
      createdAt: anyToMs(entry['timestamp']),
      content: () => contentOf(entry, calls),
    });
  }
  return foundConversation({
    source: 'pi',
    id: sessionId,
    title,
    createTime: timestamp,
    updateTime: entries.at(-1)?.['timestamp'],
    graph,
    active: last,
    original: { ...original, ...(steps.length > 0 ? { steps } : {}) },
  });
}

function contentOf(entry: JsonObject, calls: Calls): NodeContent {
  const { type, timestamp, message: inner, ...others } = entry;
  const message = objectOf(inner);
  if (type !== 'message') {
    const { content, display } = others;
    if (content === undefined) return summaryContent(others, String(type), timestamp);
    const converted = chatContent({ message: others, role: 'user', content, createTime: timestamp }, [
      'id',
      'parentId',
    ]);
    return { ...converted, hidden: display === false, fingerprinted: without(others, 'id', 'parentId') };
  }
  const { role, content } = message;
  if (role === 'bashExecution') return bashContent(message, timestamp);
  if (content === undefined) return summaryContent(message, String(role), timestamp);
  // The model receives an extension's message as the user's.
  const isExtension = role === 'custom' || role === 'hookMessage';
  const speaker = isExtension ? 'user' : role;
  const converted = chatContent({ message, role: speaker, content, createTime: timestamp }, ['role'], calls.above);
  return { ...converted, hidden: isExtension && message['display'] === false };
}

/** A command that the user ran. The model receives it as the user's. */
function bashContent(message: JsonObject, createTime: unknown): NodeContent {
  const { command, output, exitCode } = message;
  const failed = typeof exitCode === 'number' && exitCode !== 0 ? `exit code ${exitCode}` : null;
  const text = [`$ ${String(command)}`, output, failed].filter((line) => textOf(line) !== null).join('\n');
  return { role: 'user', parts: textParts(text), createTime, original: message, fingerprinted: [command, output] };
}

/** A summary of another branch or of earlier messages. */
function summaryContent(about: JsonObject, type: string, createTime: unknown): NodeContent {
  const summary = textParts(about['summary']);
  const rest = without(about, 'id', 'parentId');
  const parts = summary.length > 0 ? summary : [dataPart(type, rest)];
  return { role: 'assistant', parts, createTime, original: { type, ...rest }, fingerprinted: rest };
}
