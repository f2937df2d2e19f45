/** Checks the values of a line, which are stored unchanged. Each function throws an UnreadableError. */
import { MAX_INT, MAX_SOURCES, nameFault } from '../../../conversation/bounds.js';
import { isContentHash } from '../../../conversation/saving/message-digest.js';
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import type { ChatEventType, EventPayloads, SourceHash } from '../../../conversation/model.js';
import {
  ARCHIVED_MESSAGE_COLUMNS,
  TABLES,
  UNSET_MESSAGE_COLUMNS,
  type Column,
  type Row,
} from '../../../conversation/tables.js';
import { isInFuture, UnreadableError } from '@parley/interchange/server';

const MEMBER_ROLES: ReadonlySet<string> = new Set(['READER', 'COMMENTER', 'WRITER']);

export type Line = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown, what: string): Line {
  if (!isJsonObject(value)) throw new UnreadableError(`${what} is not an object`);
  return value;
}

/** Returns an id or a name. */
export function nameOf(line: Line, key: string, what: string): string {
  const value = line[key];
  const fault = nameFault(value);
  if (fault !== null) throw new UnreadableError(`${what} has no usable ${key}: it ${fault}`);
  return value as string;
}

export function nullableName(line: Line, key: string, what: string): string | null {
  return line[key] === null ? null : nameOf(line, key, what);
}

/** Returns an integer from `least` to `most`. */
export function numberOf(line: Line, key: string, what: string, least: number, most: number): number {
  const value = line[key];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UnreadableError(`${what} has no usable ${key}: it must be a whole number from ${least} to ${most}`);
}

export function timeOf(line: Line, key: string, what: string): number {
  const value = line[key];
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (isInFuture(time)) {
    throw new UnreadableError(
      `${what} has no usable ${key}: it must not be more than 24 hours after the time of the import`,
    );
  }
  if (time >= 0) return time;
  throw new UnreadableError(`${what} has no usable ${key}: it must be a time like 2026-01-31T12:00:00.000Z`);
}

/** The columns of a message that a line contains, without its data. */
export function archivedMessageOf(
  line: Line,
  what: string,
): Pick<Row<'messages'>, (typeof ARCHIVED_MESSAGE_COLUMNS)[number]> {
  // Objects that are spread over others are slow: a file can have millions of lines.
  const values = ARCHIVED_MESSAGE_COLUMNS.map((name) => [
    name,
    line[name] === undefined && name in UNSET_MESSAGE_COLUMNS ? null : valueOf(line, name, TABLES.messages[name], what),
  ]);
  return Object.fromEntries(values) as ReturnType<typeof archivedMessageOf>;
}

/** The ids of a message's sources: none in files of versions without them. */
export function sourceIdsOf({ sourceIds = [] }: Line, what: string): string[] {
  const isList = Array.isArray(sourceIds) && sourceIds.length <= MAX_SOURCES;
  if (!isList) throw new UnreadableError(`sourceIds of ${what} must be an array of at most ${MAX_SOURCES} ids`);
  for (const [n, id] of sourceIds.entries()) {
    const fault = nameFault(id) ?? (sourceIds.indexOf(id) < n ? 'is given twice' : null);
    if (fault !== null) throw new UnreadableError(`source ${n + 1} of ${what} is not usable: it ${fault}`);
  }
  return sourceIds as string[];
}

/**
 * The sources of a message that the chat does not have, as positions among all its sources and hashes.
 * @param sources the number of its other sources
 */
export function sourceHashesOf({ sourceHashes = [] }: Line, sources: number, what: string): SourceHash[] {
  if (!Array.isArray(sourceHashes) || sourceHashes.length + sources > MAX_SOURCES) {
    throw new UnreadableError(
      `${what} must have at most ${MAX_SOURCES} sources in sourceIds and sourceHashes together`,
    );
  }
  let before = -1;
  return sourceHashes.map((value: unknown, n) => {
    const each = `source hash ${n + 1} of ${what}`;
    const given = objectOf(value, each);
    const { hash } = given;
    const position = numberOf(given, 'position', each, before + 1, sourceHashes.length + sources - 1);
    if (!isContentHash(hash))
      throw new UnreadableError(`${each} is not usable: hash must have 64 digits of 0-9 and a-f`);
    before = position;
    return { position, hash };
  });
}

function valueOf(line: Line, name: string, { kind, isNullable }: Column, what: string): string | number | null {
  if (isNullable && line[name] === null) return null;
  if (kind === 'time') return timeOf(line, name, what);
  return kind === 'int' ? numberOf(line, name, what, -MAX_INT, MAX_INT) : nameOf(line, name, what);
}

/** `id` names a message, a branch or a checkpoint of the chat; `user` any user. */
type Kind = 'id' | 'id or null' | 'user' | 'role or null' | 'name' | 'seq';
type LoggedType = Exclude<ChatEventType, 'ChatDeleted'>;

/** An event in the log of a file. */
export type LoggedEvent = { [T in LoggedType]: { readonly type: T; readonly payload: EventPayloads[T] } }[LoggedType];

/** The members of each payload in their stored order. */
const PAYLOADS: { [T in LoggedType]: Readonly<Record<keyof EventPayloads[T], Kind>> } = {
  ChatCreated: {},
  ChatUpdated: {},
  ChatTransferred: { previousUserId: 'user', userId: 'user' },
  ChatRestored: {},
  // An import creates no members: the event is history, like a transfer.
  MemberChanged: { userId: 'user', role: 'role or null' },
  BranchCreated: { branchId: 'id', headId: 'id or null' },
  BranchActivated: { branchId: 'id' },
  BranchHeadMoved: {
    branchId: 'id',
    previousHeadId: 'id or null',
    headId: 'id',
    firstSeq: 'seq',
    lastSeq: 'seq',
  },
  BranchRenamed: { branchId: 'id', previousName: 'name', name: 'name' },
  BranchDeleted: { branchId: 'id', name: 'name', headId: 'id or null' },
  CheckpointSaved: { checkpointId: 'id', name: 'name', messageId: 'id' },
  CheckpointDeleted: { name: 'name' },
};

/** The payload members that are ids. */
export const PAYLOAD_IDS: ReadonlySet<string> = new Set(
  Object.values(PAYLOADS).flatMap((members) =>
    Object.entries<Kind>(members).flatMap(([key, kind]) => (kind.startsWith('id') ? key : [])),
  ),
);

/**
 * Returns the type and payload of an event, without members that its type does not have.
 * @param actor replaces the users in a payload; null keeps them
 */
export function loggedEventOf(line: Line, what: string, actor: string | null): LoggedEvent {
  const { type } = line;
  if (typeof type !== 'string' || !Object.hasOwn(PAYLOADS, type)) {
    throw new UnreadableError(`${what} has an unknown type`);
  }
  const given = objectOf(line['payload'], `the payload of ${what}`);
  const members = Object.entries<Kind>(PAYLOADS[type as LoggedType]);
  const payload = Object.fromEntries(members.map(([key, kind]) => [key, memberOf(given, key, kind, what, actor)]));
  return { type, payload } as LoggedEvent;
}

function roleOrNull(payload: Line, key: string, what: string): string | null {
  const role = nullableName(payload, key, what);
  if (role === null || MEMBER_ROLES.has(role)) return role;
  throw new UnreadableError(`${what} has no usable ${key}: it must be ${[...MEMBER_ROLES].join(', ')} or null`);
}

function memberOf(payload: Line, key: string, kind: Kind, what: string, actor: string | null): string | number | null {
  if (kind === 'seq') return numberOf(payload, key, what, 0, MAX_INT);
  if (kind === 'id or null') return nullableName(payload, key, what);
  if (kind === 'role or null') return roleOrNull(payload, key, what);
  const name = nameOf(payload, key, what);
  return kind === 'user' ? (actor ?? name) : name;
}
