/** Parley's own format: JSON Lines, a line an object, which docs/export.md describes. */
import type { WholeChat } from '../../conversation/archive.js';
import type { StoredEvent, StoredMessage } from '../../conversation/model.js';
import { ARCHIVED_MESSAGE_COLUMNS, TABLES } from '../../conversation/tables.js';

/** Of the format. Raised when what was written before could be misread; readers know all that came before theirs. */
export const PARLEY_VERSION = 1;

export const PARLEY = { name: 'parley', label: 'Parley' } as const;

/** The lines of a chat, some at a time, each with its end. */
export async function* parleyLines(whole: WholeChat): AsyncGenerator<string> {
  const { chat, messageCount, branches, checkpoints } = whole;
  const { id, userId, title, version } = chat;
  const head = { id, userId, title, createdAt: iso(chat.createdAt), updatedAt: iso(chat.updatedAt), version };
  yield `{"parley":${PARLEY_VERSION},"chat":${open({ ...head, messages: messageCount })},"metadata":${oneLine(chat.metadata)}}}\n`;
  for await (const rows of whole.messages()) yield rows.map(messageLine).join('');
  for (const { chatId: _, headMessageId, messageCount: __, createdAt, ...branch } of branches) {
    yield line({ branch: { ...branch, headId: headMessageId, createdAt: iso(createdAt) } });
  }
  for (const { chatId: _, createdAt, ...checkpoint } of checkpoints) {
    yield line({ checkpoint: { ...checkpoint, createdAt: iso(createdAt) } });
  }
  for await (const rows of whole.events()) yield rows.map(eventLine).join('');
  yield line({ end: { chat: id, messages: messageCount, events: version } });
}

/** Its place is told by its parent and by the order of the lines. Data goes in as the text that it is stored as. */
function messageLine(message: StoredMessage): string {
  const members = ARCHIVED_MESSAGE_COLUMNS.map((name) => [name, archived(message, name)]);
  return `{"message":${open(Object.fromEntries(members) as object)},"data":${oneLine(message.data)}}}\n`;
}

function archived(message: StoredMessage, name: (typeof ARCHIVED_MESSAGE_COLUMNS)[number]): unknown {
  const { [name]: value } = message;
  return TABLES.messages[name].kind === 'time' ? iso(value as number) : value;
}

function eventLine({ seq, type, actorId, createdAt, payload }: StoredEvent): string {
  return `{"event":${open({ seq, type, actorId, createdAt: iso(createdAt) })},"payload":${oneLine(payload)}}}\n`;
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** An object without its last brace: more comes. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** JSON that others have written may have lines. */
function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? JSON.stringify(JSON.parse(json)) : json;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
