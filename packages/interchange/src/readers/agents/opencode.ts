/** Sessions of opencode, as `opencode export` prints them. */
import { isJsonObject, type JsonObject, UnreadableError } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, idOf, objectOf, textOf, anyToMs } from '../shared/members.js';
import { callPart, dataPart, toolPart } from '../shared/parts.js';

export const opencode: ValueReader = {
  name: 'opencode',
  label: 'opencode',
  claims: ({ info, messages }) => {
    if (!isJsonObject(info) || !Array.isArray(messages)) return false;
    const first: unknown = messages[0];
    return first === undefined ? 'projectID' in info : isJsonObject(first) && isJsonObject(first['info']);
  },
  read: (value) => [readSession(objectOf(value['info']), arrayOf(value['messages']).map(objectOf))],
};

function readSession(info: JsonObject, messages: readonly JsonObject[]): FoundSource {
  const { id, title, time, ...original } = info;
  const sessionId = idOf(id);
  if (sessionId === null) throw new UnreadableError('the session has no id');
  const graph = new SourceGraph();
  const undone = undoneFrom(messages, objectOf(info['revert']));
  let previous: string | null = null;
  let active: string | null = null;
  for (const [n, message] of messages.entries()) {
    const about = objectOf(message['info']);
    const parts = arrayOf(message['parts']);
    const kept = n < undone.message ? parts.length : n === undone.message ? undone.part : 0;
    const add = (id: unknown, shown: readonly unknown[]) =>
      graph.add({
        id,
        // `parentID` names the question; a step of the answer follows the step before.
        parent: previous,
        createdAt: anyToMs(objectOf(about['time'])['created']),
        content: () => contentOf(about, shown),
      });
    if (kept > 0 || n < undone.message) active = previous = add(about['id'], parts.slice(0, kept));
    if (kept < parts.length || n > undone.message) {
      previous = add(kept > 0 ? `${idOf(about['id']) ?? n}#undone` : about['id'], parts.slice(kept));
    }
  }
  const { created, updated } = objectOf(time);
  return foundConversation({
    source: 'opencode',
    id: sessionId,
    title,
    createTime: created,
    updateTime: updated,
    graph,
    active,
    system: objectOf(messages[0]?.['info'])['system'],
    isUndone: undone.message < messages.length,
    original,
    warnings: active === null && previous !== null ? ['all of its messages were undone: they are on main'] : [],
  });
}

/** The first message that `/undo` took back, and the part of it; all messages after it are taken back, too. */
function undoneFrom(messages: readonly JsonObject[], revert: JsonObject): { message: number; part: number } {
  const [messageId, partId] = [idOf(revert['messageID']), idOf(revert['partID'])];
  const none = { message: messages.length, part: 0 };
  if (messageId === null) return none;
  const message = messages.findIndex(({ info }) => objectOf(info)['id'] === messageId);
  if (message === -1) return none;
  const part = arrayOf(messages[message]?.['parts']).findIndex((each) => objectOf(each)['id'] === partId);
  return { message, part: Math.max(part, 0) };
}

function contentOf(info: JsonObject, parts: unknown): NodeContent {
  const ownParts = arrayOf(parts).flatMap((part) => partOf(objectOf(part)));
  return {
    role: roleOf(info['role']),
    parts: ownParts.length > 0 || info['error'] == null ? ownParts : [dataPart('error', info['error'])],
    createTime: objectOf(info['time'])['created'],
    original: { info, parts },
    fingerprinted: parts,
  };
}

function partOf(part: JsonObject): MessagePart[] {
  const { type, callID, tool, state } = part;
  if (type === 'step-start') return [{ type: 'step-start' }];
  if (type !== 'tool') return type === 'text' || type === 'reasoning' ? blockParts([part]) : filesOf(part);
  const { status, input, output, error, attachments } = objectOf(state);
  const call = { id: textOf(callID) ?? 'call', name: textOf(tool) ?? 'tool', input };
  if (status === 'error') return [toolPart(call, { error: textOf(error) ?? 'it failed' })];
  return [status === 'completed' ? toolPart(call, { output }) : callPart(call), ...blockParts(attachments)];
}

function filesOf(part: JsonObject): MessagePart[] {
  return part['type'] === 'file' ? blockParts([part]) : [dataPart(textOf(part['type']) ?? 'part', part)];
}
