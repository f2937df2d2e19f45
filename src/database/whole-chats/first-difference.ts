/**
 * Compares the rows of an imported chat with the stored ones, up to the shorter of the two. New rows may reference only
 * compared rows, because ids in a file are not trusted.
 */
import { isDeepStrictEqual } from 'node:util';
import type { WholeChat } from '../../conversation/whole-chat.js';
import type { EventPayloads, StoredEvent, StoredMessage } from '../../conversation/model.js';
import { ERASED_USER } from '../../conversation/access/ownership.js';
import { columnNames } from '../../conversation/tables.js';
import type { ChatState, Reading } from './chat-state.js';
import { eventsOf, messagesOf } from './chat-steps.js';

/** The first stored row that differs from the file's. */
export interface DifferentRow {
  kind: 'message' | 'event';
  seq: number;
}

/** Null when all rows that both have are equal. Memory is bounded. */
export async function firstDifference(
  from: Reading,
  stored: Pick<ChatState, 'chat' | 'lastMessageSeq'>,
  whole: WholeChat,
): Promise<DifferentRow | null> {
  const { hasReplacedAuthors = false } = whole;
  const isSameAuthor: SameAuthor = (one, other) =>
    hasReplacedAuthors || one === other || one === ERASED_USER || other === ERASED_USER;
  const message = await firstDifferentSeq(messagesOf(from, stored), whole.messages(), (one, other) =>
    isSameMessage(one, other, isSameAuthor),
  );
  if (message !== null) return { kind: 'message', seq: message };
  const event = await firstDifferentSeq(eventsOf(from, stored), whole.events(), (one, other) =>
    isSameEvent(one, other, isSameAuthor),
  );
  return event === null ? null : { kind: 'event', seq: event };
}

type SameAuthor = (one: string, other: string) => boolean;

async function firstDifferentSeq<Row extends { seq: number }>(
  stored: AsyncIterable<readonly Row[]>,
  imported: AsyncIterable<readonly Row[]>,
  isSame: (one: Row, other: Row) => boolean,
): Promise<number | null> {
  const others = eachOf(imported);
  try {
    for await (const rows of stored) {
      for (const row of rows) {
        const { done, value } = await others.next();
        if (done === true) return null;
        if (!isSame(row, value)) return row.seq;
      }
    }
    return null;
  } finally {
    await others.return(undefined);
  }
}

async function* eachOf<Row>(pieces: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, undefined, undefined> {
  for await (const piece of pieces) yield* piece;
}

/** Columns compared directly: preview and parentSeq follow from them and from data. */
const COLUMNS = columnNames('messages', ['chatId', 'preview', 'data', 'createdBy']);

function isSameMessage(one: StoredMessage, other: StoredMessage, isSameAuthor: SameAuthor): boolean {
  return (
    COLUMNS.every((name) => one[name] === other[name]) &&
    isSameAuthor(one.createdBy, other.createdBy) &&
    one.sources.length === other.sources.length &&
    one.sources.every(({ seq }, n) => seq === other.sources[n]?.seq) &&
    isDeepStrictEqual(one.sourceHashes ?? [], other.sourceHashes ?? []) &&
    isSameJson(one.data, other.data)
  );
}

/** Other programs may store JSON with whitespace, which exports remove. */
function isSameJson(stored: string, imported: string): boolean {
  return stored === imported || JSON.stringify(JSON.parse(stored)) === imported;
}

function isSameEvent(one: StoredEvent, other: StoredEvent, isSameAuthor: SameAuthor): boolean {
  return (
    one.seq === other.seq &&
    one.type === other.type &&
    one.createdAt === other.createdAt &&
    isSameAuthor(one.actorId, other.actorId) &&
    (one.payload === other.payload || isSamePayload(one, other, isSameAuthor))
  );
}

/** Whether two events of a type with users are the same apart from replaced users. */
function isSamePayload({ type, payload: stored }: StoredEvent, { payload }: StoredEvent, isSame: SameAuthor): boolean {
  if (type !== 'ChatTransferred' && type !== 'MemberChanged') return false;
  const one = JSON.parse(stored) as UsersOfEvent;
  const other = JSON.parse(payload) as UsersOfEvent;
  return (
    isSame(one.previousUserId ?? '', other.previousUserId ?? '') &&
    isSame(one.userId, other.userId) &&
    one.role === other.role
  );
}

type UsersOfEvent = Pick<EventPayloads['MemberChanged'], 'userId'> &
  Partial<EventPayloads['ChatTransferred'] & EventPayloads['MemberChanged']>;
