/**
 * Sessions of Claude Code: a line for each block, which names the line before it, and lines of metadata. A result is
 * merged with its call: parallel calls would be forks otherwise.
 */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { LinesReader, NodeContent, FoundSource } from '../../source-conversation.js';
import { chatContent, contentOf as chatContentOf } from '../shared/chat-message.js';
import { blockParts } from '../shared/blocks.js';
import { besideMain, foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without, anyToMs } from '../shared/members.js';
import { dataPart, textParts } from '../shared/parts.js';
import { isQwenLine } from './qwen-code.js';
import { parentOf, Results } from './claude-code-results.js';

export const claudeCode: LinesReader = {
  name: 'claude-code',
  label: 'Claude Code',
  claims: isOwn,
  // Any line with metadata: versions add kinds of lines.
  continues: (value) =>
    isOwn(value) || (!isQwenLine(value) && typeof value['type'] === 'string' && sessionOf(value) !== null),
  readAll(lines) {
    const sessions = sessionsIn(lines);
    if (sessions.size === 0) throw new UnreadableError('it contains sessions without messages');
    return [...sessions].map(([id, session]) => readSession(id, session, lines));
  },
};

/** Kinds of lines that a file can begin with. */
const OTHER_FIRST_LINES = new Set<unknown>([
  ...['file-history-snapshot', 'queue-operation', 'last-prompt', 'permission-mode', 'custom-title', 'ai-title'],
  ...['agent-name', 'agent-setting'],
]);

function isOwn(value: JsonObject): boolean {
  if (isQwenLine(value)) return false;
  const isInit = value['subtype'] === 'init' && 'session_id' in value;
  return (
    isEntry(value) || ('leafUuid' in value && 'summary' in value) || OTHER_FIRST_LINES.has(value['type']) || isInit
  );
}

/** The key of lines that name no session. */
const UNNAMED = 'session';

function sessionOf(line: JsonObject): string | null {
  return idOf(line['sessionId'], line['session_id']);
}

/** A line with a place in the tree. Lines without one follow one another. */
function isEntry(value: JsonObject): boolean {
  if (typeof value['uuid'] === 'string' && 'parentUuid' in value) return true;
  const isMessage = value['type'] === 'user' || value['type'] === 'assistant';
  return isMessage && isJsonObject(value['message']) && sessionOf(value) !== null;
}

interface Session {
  /** All ids of the session. */
  readonly ids: Set<string>;
  readonly entries: JsonObject[];
  /** The first entry of each id. */
  readonly byId: Map<string, JsonObject>;
}

/** Groups lines by the first id of their session: a resumed session can have another id. */
function sessionsIn(lines: readonly JsonObject[]): Map<string, Session> {
  const sessions = new Map<string, Session>();
  const byEntry = new Map<string, Session>();
  const byKey = new Map<string, Session>();
  for (const [n, line] of lines.filter(isEntry).entries()) {
    const own = sessionOf(line) ?? UNNAMED;
    // A subagent has a separate file with the id of the session that started it.
    const agent = idOf(line['agentId'], line['parent_tool_use_id']);
    const key = agent === null ? own : `${own}/${agent}`;
    const uuid = idOf(line['uuid']) ?? `#${n + 1}`;
    const parent = parentOf(line) ?? '';
    const [ownSession, copied] = [byKey.get(key), byEntry.get(uuid)];
    const isOwnLine = ownSession?.byId.has(uuid) === true || ownSession?.byId.has(parent) === true;
    const isCopy = isSameMessage(copied?.byId.get(uuid), line);
    const session: Session =
      (isOwnLine ? ownSession : isCopy ? copied : (byEntry.get(parent) ?? ownSession)) ??
      ({ ids: new Set(), entries: [], byId: new Map() } satisfies Session);
    if (session.entries.length === 0) sessions.set(key, session);
    const last = session.entries.at(-1)?.['uuid'] ?? null;
    const entry = 'parentUuid' in line ? line : { ...line, uuid, parentUuid: last };
    session.ids.add(own);
    session.entries.push(entry);
    if (!session.byId.has(uuid)) session.byId.set(uuid, entry);
    byKey.set(key, session);
    if (!byEntry.has(uuid)) byEntry.set(uuid, session);
  }
  return sessions;
}

function isSameMessage(one: JsonObject | undefined, other: JsonObject): boolean {
  const message = one === undefined ? null : contentId(one['message'] ?? null);
  return message !== null && message === contentId(other['message'] ?? null);
}

function readSession(id: string, { ids, entries }: Session, lines: readonly JsonObject[]): FoundSource {
  const graph = new SourceGraph();
  const results = new Results(entries);
  // The session of a subagent consists of side lines only.
  const isAgent = entries.every(isSide);
  const compactions = new Compactions();
  let active: string | null = null;
  let [last, lastSide]: (string | null)[] = [null, null];
  let [leftOut, beside] = [0, 0];
  for (const line of entries) {
    const isKept = isSaid(line) && !results.isTaken(line);
    const isBeside = !isAgent && isSide(line);
    const previous: string | null = (isBeside ? lastSide : last) ?? null;
    if (!isSaid(line)) leftOut++;
    const entryId = graph.add({
      id: line['uuid'],
      parent: isBeside ? results.parentOf(line) : compactions.parentOf(line, results.parentOf(line), previous),
      previous,
      isKept,
      createdAt: anyToMs(line['timestamp']),
      content: () => contentOf(line, results),
    });
    if (isBeside) lastSide = entryId;
    else last = entryId;
    if (isKept && isBeside) beside++;
    else if (isKept) active = entryId;
  }
  const { cwd, gitBranch, version } = objectOf(entries[0]);
  return foundConversation({
    source: 'claude-code',
    id: ids.has(UNNAMED) ? null : id,
    formerId: id,
    title: titleOf(lines, ids, entries),
    createTime: entries[0]?.['timestamp'],
    updateTime: entries.at(-1)?.['timestamp'],
    graph,
    active,
    original: { cwd, gitBranch, version },
    warnings: [
      ...(leftOut > 0
        ? [`${leftOut} of its lines describe the session and contain no message: they are left out`]
        : []),
      ...(beside > 0 ? [besideMain(beside, 'subagents wrote them')] : []),
    ],
  });
}

function isSide(line: JsonObject): boolean {
  return line['isSidechain'] === true;
}

function isSaid(line: JsonObject): boolean {
  if (line['type'] === 'system') return textOf(line['content']) !== null;
  return isJsonObject(line['message']) || line['type'] === 'attachment';
}

/** The title that the user gave, else a generated one. Summaries can be those of other sessions. */
function titleOf(
  lines: readonly JsonObject[],
  ids: ReadonlySet<string>,
  entries: readonly JsonObject[],
): string | null {
  const given = (type: string, member: string) =>
    textOf(lines.findLast((line) => line['type'] === type && ids.has(String(line['sessionId'])))?.[member]);
  const summaries = new Map(lines.map((line) => [line['leafUuid'], textOf(line['summary'])]));
  const summed = entries.findLast((line) => summaries.get(line['uuid']) != null)?.['uuid'];
  return given('custom-title', 'customTitle') ?? given('ai-title', 'aiTitle') ?? summaries.get(summed) ?? null;
}

function contentOf(line: JsonObject, results: Results): NodeContent {
  const { type, timestamp: createTime, isMeta } = line;
  const entry = without(line, 'uuid', 'parentUuid', 'message');
  const hidden = isMeta === true;
  if (type === 'system') {
    const { content } = line;
    return { role: 'system', parts: textParts(content), createTime, hidden, original: entry, fingerprinted: content };
  }
  if (type === 'attachment') {
    const { attachment } = line;
    // A prompt that the user queued while the model worked.
    const { type: kind, prompt } = objectOf(attachment);
    const promptParts = kind === 'queued_command' ? blockParts(prompt) : [];
    const parts = promptParts.length > 0 ? promptParts : [dataPart('attachment', attachment)];
    return {
      role: 'user',
      parts,
      createTime,
      hidden: promptParts.length === 0,
      original: entry,
      fingerprinted: attachment,
    };
  }
  const message = objectOf(line['message']);
  const own = chatContentOf(message);
  const answers = results.of(own);
  const content = Array.isArray(own)
    ? [...arrayOf(own).filter((block) => !results.isWithCall(block, line)), ...answers.map(({ block }) => block)]
    : own;
  const converted = chatContent({ message, role: message['role'] ?? type, content, createTime }, ['role']);
  const answered = answers.map(({ line: answer }) => answer);
  return {
    ...converted,
    hidden,
    original: { ...converted.original, entry, ...(answered.length > 0 ? { answered } : {}) },
  };
}

/** Compactions in sessions of Claude Code: the turns before one stay on the path to the turns after it. */
class Compactions {
  /** The last line that the newest compaction kept for the model; the next turn names it as its parent. */
  #kept: string | null = null;

  /**
   * @param named the parent in the file
   * @param previous the line of the session before this one
   */
  parentOf(line: JsonObject, named: string | null, previous: string | null): string | null {
    if (previous === null) return named;
    const isBoundary = line['subtype'] === 'compact_boundary';
    if (isBoundary) this.#kept = idOf(objectOf(objectOf(line['compactMetadata'])['preservedSegment'])['tailUuid']);
    // A boundary can name a line of an earlier compaction, or one that no file has.
    if (isBoundary || (line['isCompactSummary'] === true && named === null)) return previous;
    if (named === null || named !== this.#kept) return named;
    this.#kept = null;
    return previous;
  }
}
