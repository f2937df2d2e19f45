/** Sessions of Codex (rollout-….jsonl): what it says of the session, then items as the model's API has them. */
import { isJsonObject } from '../../../conversation/merge-patch.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { NodeContent, SourceConversation } from '../source-conversation.js';
import { blockParts, callsIn } from '../shared/blocks.js';
import { Calls } from '../shared/calls.js';
import { foundConversation } from '../shared/conversation.js';
import { roleOf } from '../shared/chat-message.js';
import { idOf, objectOf, type JsonObject } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';

/** What a line may be about. Events tell once more what the items say, for those who watch. */
const LINES = new Set(['response_item', 'event_msg', 'turn_context', 'compacted', 'session_meta', 'ghost_snapshot']);

export const codex: LinesReader = {
  name: 'codex',
  label: 'Codex',
  // Before October 2025 the first line was the session itself, and the others the items.
  claims: (value) =>
    (value['type'] === 'session_meta' && isJsonObject(value['payload'])) ||
    (!('type' in value) && 'timestamp' in value && 'instructions' in value),
  continues: (value) => (LINES.has(String(value['type'])) && value['type'] !== 'session_meta') || isItem(value),
  readAll: ([meta, ...lines]) => [readSession(objectOf(meta), lines)],
};

function isItem(value: JsonObject): boolean {
  return 'record_type' in value || ('type' in value && ('role' in value || 'call_id' in value || 'summary' in value));
}

function readSession(meta: JsonObject, lines: readonly JsonObject[]): SourceConversation {
  const { id, timestamp, ...original } = isJsonObject(meta['payload']) ? meta['payload'] : meta;
  const sessionId = idOf(id);
  if (sessionId === null) throw new UnreadableError('the session has no id');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  let leftOut = 0;
  let number = 0;
  for (const line of lines) {
    const item = itemIn(line);
    if (item === null) {
      leftOut++;
      continue;
    }
    calls.note(callsIn([item]));
    number++;
    previous = graph.add({
      id: idOf(item['id']) !== null && !graph.has(String(item['id'])) ? item['id'] : `item-${number}`,
      parent: previous,
      createdAt: anyToMs(line['timestamp']),
      content: () => contentOf(item, line['timestamp'], calls),
    });
  }
  return foundConversation({
    source: 'codex',
    id: sessionId,
    title: null,
    createTime: timestamp ?? meta['timestamp'],
    updateTime: lines.at(-1)?.['timestamp'],
    graph,
    original,
    warnings: leftOut > 0 ? [`${leftOut} of its lines tell of the session and hold no message: they are left out`] : [],
  });
}

/** The item of a line that says something. */
function itemIn(line: JsonObject): JsonObject | null {
  if ('payload' in line) {
    if (line['type'] === 'compacted') return { type: 'compacted', ...objectOf(line['payload']) };
    return line['type'] === 'response_item' && isJsonObject(line['payload']) ? line['payload'] : null;
  }
  return 'record_type' in line ? null : line;
}

function contentOf(item: JsonObject, createTime: unknown, calls: Calls): NodeContent {
  const { type, role, content } = item;
  const isMessage = type === 'message' || type === undefined;
  return {
    role: isMessage ? roleOf(role) : 'assistant',
    parts: isMessage ? blockParts(content) : blockParts([item], calls.above),
    createTime,
    original: item,
    said: item,
  };
}
