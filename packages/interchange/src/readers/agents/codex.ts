/** Sessions of Codex (rollout-….jsonl): data of the session, then items as in the model's API. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, ValueReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts, callsIn } from '../shared/blocks.js';
import { Calls, roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, without, contentId, anyToMs } from '../shared/members.js';
import { textParts } from '../shared/parts.js';
import { systemMember } from '../shared/system-prompt.js';

/** The item of a line with content. */
function itemIn(line: JsonObject): JsonObject | null {
  if ('payload' in line) {
    if (line['type'] === 'compacted') return { type: 'compacted', ...objectOf(line['payload']) };
    return line['type'] === 'response_item' && isJsonObject(line['payload']) ? line['payload'] : null;
  }
  return 'record_type' in line ? null : line;
}

/** The texts of answers in items, which events repeat. */
class AnswerTexts {
  readonly #texts = new Set<string | null>();
  /** The line of the answer before and after each line; -1 for none. */
  readonly #before: number[] = [];
  readonly #after: number[] = [];

  constructor(readonly lines: readonly JsonObject[]) {
    let last = -1;
    for (const [n, line] of lines.entries()) {
      const texts = textsOf(line);
      for (const text of texts) this.#texts.add(contentId(text.trim()));
      if (texts.length > 0) last = n;
      this.#before[n] = last;
    }
    last = -1;
    for (let n = lines.length - 1; n >= 0; n--) {
      if (this.#before[n] === n) last = n;
      this.#after[n] = last;
    }
  }

  /** Whether an answer has the text of an event, or one next to the event contains it. */
  has(text: unknown, line: number): boolean {
    if (typeof text !== 'string' || text.trim() === '') return true;
    const own = text.trim();
    if (this.#texts.has(contentId(own))) return true;
    const near = [this.#before[line] ?? -1, this.#after[line] ?? -1];
    return near.some((n) => textsOf(this.lines[n] ?? {}).some((other) => other.includes(own)));
  }
}

/** The texts of an answer of the model, each and all together. */
function textsOf(line: JsonObject): string[] {
  const item = itemIn(line);
  if (item === null || (item['role'] !== 'assistant' && item['type'] !== 'agent_message')) return [];
  const content = item['content'] ?? item['message'] ?? item['text'];
  if (typeof content === 'string') return [content];
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block)['text']) ?? []);
  return texts.length > 1 ? [...texts, texts.join('')] : texts;
}

export const codex: LinesReader = {
  name: 'codex',
  label: 'Codex',
  // Before October 2025, the first line was the session and the other lines were items.
  claims: (value) =>
    (value['type'] === 'session_meta' && isJsonObject(value['payload'])) ||
    (!('type' in value) && 'timestamp' in value && 'instructions' in value),
  continues: (value, first) =>
    value['type'] === 'session_meta'
      ? isCopied(value, first ?? {})
      : 'record_type' in value || isPayload(value) || isItem(value),
  readAll: ([meta, ...lines]) => [readSession(objectOf(meta), lines)],
};

/** Sessions of the first version, written in TypeScript, of spring 2025. */
export const codexJson: ValueReader = {
  name: 'codex-json',
  label: 'Codex (JSON)',
  claims: ({ session, items }) => isJsonObject(session) && 'id' in session && Array.isArray(items),
  read: ({ session, items }) => [readSession(objectOf(session), arrayOf(items).map(objectOf))],
};

/** Any line with a payload: versions add kinds of lines. */
function isPayload(value: JsonObject): boolean {
  return 'payload' in value && 'timestamp' in value && typeof value['type'] === 'string';
}

function isItem(value: JsonObject): boolean {
  const { type } = value;
  return typeof type === 'string' && ('role' in value || ITEM.test(type));
}

/** Items without a message. */
const ITEM = /^(reasoning|compaction|ghost_snapshot|\w+_(call|output))$/;

/** A resumed session begins with copies of the older session's lines, which name that session. */
function isCopied(line: JsonObject, first: JsonObject): boolean {
  const [meta, own] = [objectOf(line['payload']), objectOf(first['payload'])];
  if (meta['id'] === own['id'] || meta['id'] === own['forked_from_id']) return true;
  const [time, ownTime] = [anyToMs(meta['timestamp']), anyToMs(own['timestamp'])];
  const [written, ownWritten] = [anyToMs(line['timestamp']), anyToMs(first['timestamp'])];
  if (time === null || ownTime === null || written === null || ownWritten === null) return false;
  return time < ownTime && written >= ownWritten;
}

function readSession(meta: JsonObject, lines: readonly JsonObject[]): FoundSource {
  const { id, timestamp, ...original } = isJsonObject(meta['payload']) ? meta['payload'] : meta;
  const sessionId = idOf(id, original['session_id']);
  if (sessionId === null) throw new UnreadableError('the session has no id');
  const graph = new SourceGraph();
  const calls = new Calls();
  let previous: string | null = null;
  let leftOut = 0;
  let number = 0;
  let model: unknown;
  /** The item above each turn. */
  const turns: (string | null)[] = [];
  let [title, isUndone] = [null as string | null, false];
  const isSaid = lines.some((line) => itemIn(line)?.['role'] !== undefined);
  const answers = new AnswerTexts(lines);
  const system = systemMember(original);
  for (const [n, line] of lines.entries()) {
    const event = itemIn(line) === null ? eventIn(line) : null;
    const isShown = !isSaid || (event?.['role'] === 'assistant' && !answers.has(event['content'], n));
    const item = itemIn(line) ?? (isShown ? event : null);
    if (item === null) {
      const about = objectOf(line['payload']);
      if (about['type'] === 'thread_name_updated') title = textOf(about['thread_name']) ?? title;
      if (about['type'] === 'thread_rolled_back') isUndone = true;
      if (line['type'] === 'turn_context') model = about['model'];
      // Later items start another branch from there.
      if (about['type'] === 'thread_rolled_back') previous = rolledBack(turns, about['num_turns'], previous);
      leftOut++;
      continue;
    }
    calls.note(callsIn([item]));
    number++;
    if (item['role'] === 'user' && !isContext(item)) turns.push(previous);
    previous = graph.add({
      id: idOf(item['id']) ?? `item-${number}`,
      parent: previous,
      createdAt: anyToMs(line['timestamp']),
      content: () => contentOf(item, line['timestamp'], calls),
    });
  }
  return foundConversation({
    source: 'codex',
    id: sessionId,
    title: title ?? textOf(original['thread_name']),
    createTime: timestamp ?? meta['timestamp'],
    updateTime: lines.at(-1)?.['timestamp'],
    graph,
    active: previous,
    isUndone,
    details: { model },
    // Instructions of files are also among the items.
    system: system === undefined ? null : original[system],
    original: system === undefined ? original : without(original, system),
    warnings:
      leftOut > 0 ? [`${leftOut} of its lines describe the session and contain no message: they are left out`] : [],
  });
}

/** The item in an event, for sessions that have no items besides. */
function eventIn(line: JsonObject): JsonObject | null {
  const { type, message, text } = objectOf(line['type'] === 'event_msg' ? line['payload'] : null);
  if (type === 'user_message') return { type: 'message', role: 'user', content: message };
  if (type === 'agent_message') return { type: 'message', role: 'assistant', content: message };
  return type === 'agent_reasoning' ? { type: 'reasoning', text } : null;
}

/** @returns the item above the removed turns */
function rolledBack(turns: (string | null)[], count: unknown, previous: string | null): string | null {
  if (typeof count !== 'number' || count < 1 || turns.length === 0) return previous;
  return turns.splice(-Math.min(count, turns.length))[0] ?? null;
}

/** Context that the program sends in the user's name starts no turn. */
function isContext(item: JsonObject): boolean {
  const text = objectOf(arrayOf(item['content'])[0])['text'];
  return (
    typeof text === 'string' &&
    /^\s*(<(environment_context|user_instructions|turn_aborted|skill|subagent_notification)>|# AGENTS\.md instructions)/.test(
      text,
    )
  );
}

function contentOf(item: JsonObject, createTime: unknown, calls: Calls): NodeContent {
  const { type, role, message, text } = item;
  // A message to or from another agent.
  const isOfAgent = type === 'agent_message';
  const content = item['content'] ?? (isOfAgent ? (message ?? text) : undefined);
  const isMessage = type === 'message' || type === undefined || isOfAgent;
  // A summary of the earlier items.
  const summary = type === 'compacted' ? textParts(message) : [];
  return {
    role: isMessage ? roleOf(role) : 'assistant',
    parts: isMessage ? blockParts(content) : summary.length > 0 ? summary : blockParts([item], calls.above),
    createTime,
    original: item,
    fingerprinted: item,
  };
}
