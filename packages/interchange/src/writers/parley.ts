/** Writes Parley's own format, which loses nothing: JSON Lines, described in docs/export.md. */
import { incompleteLine, LINES, type Writer } from './writer.js';
import type { WrittenChat, WrittenEvent, WrittenMessage } from './written-chat.js';

/** The version of the format, raised when older files could be misread. Readers know all earlier versions. */
export const PARLEY_VERSION = 1;

/** Messages of chats without members of their own have these. */
const MESSAGE_MEMBERS = ['id', 'parentId', 'name', 'type', 'createdAt', 'createdBy'] as const;

export const parley: Writer = {
  name: 'parley',
  label: 'Parley',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'parley.jsonl',
  losses: ['drafts that are being written'],
  frame: LINES,
  incomplete: incompleteLine,
  write: parleyLines,
};

/** The lines of a chat with their line ends, several at a time. */
async function* parleyLines(whole: WrittenChat): AsyncGenerator<string> {
  const { chat, messageCount, messageMembers = MESSAGE_MEMBERS, branches, checkpoints } = whole;
  const { id, userId, title, version } = chat;
  const head = { id, userId, title, createdAt: iso(chat.createdAt), updatedAt: iso(chat.updatedAt), version };
  yield `{"parley":${PARLEY_VERSION},"chat":${open({ ...head, messages: messageCount })},"metadata":${oneLine(chat.metadata)}}}\n`;
  for await (const rows of whole.messages()) {
    yield rows.map((row) => messageLine(row, messageMembers)).join('');
  }
  for (const { id, name, isActive, seq, headMessageId, createdAt } of branches) {
    yield line({ branch: { id, name, isActive, seq, headId: headMessageId, createdAt: iso(createdAt) } });
  }
  for (const { id, name, messageId, seq, createdAt } of checkpoints) {
    yield line({ checkpoint: { id, name, messageId, seq, createdAt: iso(createdAt) } });
  }
  for await (const rows of whole.events()) yield rows.map(eventLine).join('');
  yield line({ end: { chat: id, messages: messageCount, events: version } });
}

/** The parent and the order of the lines give its position. Data is written as the stored text. */
function messageLine(message: WrittenMessage, names: readonly string[]): string {
  const members: [string, unknown][] = names.map((name) => [
    name,
    name === 'createdAt' ? iso(message[name]) : Reflect.get(message, name),
  ]);
  const { sources = [], sourceHashes = [] } = message;
  // Absent for most messages, as in files of earlier versions.
  if (sources.length > 0) members.push(['sourceIds', sources.map(({ id }) => id)]);
  if (sourceHashes.length > 0) members.push(['sourceHashes', sourceHashes]);
  return `{"message":${open(Object.fromEntries(members))},"data":${oneLine(message.data)}}}\n`;
}

function eventLine({ seq, type, actorId, createdAt, payload }: WrittenEvent): string {
  return `{"event":${open({ seq, type, actorId, createdAt: iso(createdAt) })},"payload":${oneLine(payload)}}}\n`;
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** An object without its last brace, so that more members can follow. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** Stored JSON can contain line ends. */
function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? JSON.stringify(JSON.parse(json)) : json;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
