/** Statements that every database takes word for word: of removing, erasing, copying and of what is rare. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { OpenImport } from '../../conversation/change.js';
import type { ListPlace } from '../../conversation/list-reads.js';
import type { Checkpoint, Deletion } from '../../conversation/model.js';
import { columnNames, TABLES, type TableName } from '../../conversation/tables.js';
import type { UserPosition } from '../../conversation/reads.js';
import type { SeqRange } from '../../conversation/reads.js';

/**
 * The owner of a chat that is being removed; no user's id is empty. Its rows go in steps, and until the last has gone its
 * own row stays, for the others refer to it; to whoever asks for a chat, it is not there. See removal.ts.
 */
export const NOBODY = '';

/** The tables whose rows are of one chat. */
export type ChatTable = 'messages' | 'branches' | 'checkpoints' | 'chat_events' | 'message_runs' | 'message_texts';
/** Those of them that have the rows of a chat in the order of a seq. */
export type NumberedTable = Exclude<ChatTable, 'message_texts'>;

type ChatImport = OpenImport & { chatId: string };

/** Where a walk through all events is. */
export interface EventPosition {
  /** '' before the first. */
  chatId: string;
  seq: number;
}

const namesOf = (table: TableName): Sql => join(Object.keys(TABLES[table]).map((name) => raw(`"${name}"`)));

export type CommonStatements = ReturnType<typeof commonStatements>;

/**
 * @param table how the database calls one of Parley's tables
 * @param part what comes behind an ORDER BY to take so many rows behind so many others
 */
export function commonStatements(table: (name: string) => Sql, part: (count: number, behind: number) => Sql) {
  const chats = table('chats');
  const deletions = table('deleted_chats');
  const searchIndex = table('search_index');
  const ofNobody = sql`SELECT "id" FROM ${chats} WHERE "userId" = ${NOBODY}`;
  const imports = table('chat_imports');
  /** The scope of a chat's own rows. */
  const isHidden = (lease: Sql = empty): Sql =>
    sql`EXISTS (SELECT 1 FROM ${imports} WHERE "chatId" = "id" AND "afterSeq" IS NULL ${lease})`;
  // For SQL Server, an empty text comes behind ids that begin with U+0001 to U+001F: it compares it as a space.
  const behind = (id: string): Sql => (id === '' ? sql`1 = 1` : sql`"id" > ${id}`);
  const beyond = ({ chatId, seq }: EventPosition): Sql =>
    chatId === '' ? sql`1 = 1` : sql`("chatId" > ${chatId} OR "chatId" = ${chatId} AND "seq" > ${seq})`;

  // The same on all three, and exact: without case, or by a pattern, each has opinions of its own.
  const ofUsers = (search: string): Sql =>
    sql`"userId" <> ${NOBODY} ${search === '' ? empty : sql`AND replace("userId", ${search}, '') <> "userId"`}`;
  const beyondUser = (position: UserPosition | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { lastActiveAt, id } = position;
    const is = raw(comparison);
    return [
      sql`(max("updatedAt") ${is} ${lastActiveAt} OR max("updatedAt") = ${lastActiveAt} AND "userId" ${is} ${id})`,
    ];
  };

  return {
    /** Answers a row from a server that does anything at all. */
    look: (): Sql => sql`SELECT 1 AS one`,

    // Removing.
    /** Makes a chat NOBODY's. */
    disown: (chatId: string): Sql => sql`UPDATE ${chats} SET "userId" = ${NOBODY} WHERE "id" = ${chatId}`,
    /** Locks a chat that is being removed: it writes one row, or none when there is no such chat. */
    lockRemains: (chatId: string): Sql => sql`
      UPDATE ${chats} SET "userId" = ${NOBODY}
      WHERE "id" = ${chatId} AND "userId" = ${NOBODY} AND NOT ${isHidden()}`,
    /**
     * Rows { id } of the chats that are being removed, and of hidden chats whose lease ended before a time; of some, if
     * there are ids.
     */
    remains: (leaseEndedBefore: number, ids?: readonly string[]): Sql => sql`
      ${ofNobody} AND NOT ${isHidden(sql`AND "expiresAt" >= ${leaseEndedBefore}`)}
      ${ids === undefined ? empty : sql`AND "id" IN (${join(ids)})`}`,
    deleteChat: (chatId: string): Sql => sql`DELETE FROM ${chats} WHERE "id" = ${chatId}`,
    /** One row { seq }, that of the nth newest row of a chat before a seq, or none. */
    nthNewest: (name: NumberedTable, chatId: string, before: number, nth: number): Sql => sql`
      SELECT "seq" FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" < ${before}
      ORDER BY "seq" DESC ${part(1, nth - 1)}`,
    /** Deletes those of a chat from one seq to before another. */
    deleteRange: (name: NumberedTable, chatId: string, firstSeq: number, before: number): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" >= ${firstSeq} AND "seq" < ${before}`,

    // Importing in steps.
    /** One row { userId, holder, expiresAt, afterSeq }, or none. */
    importOf: (chatId: string): Sql =>
      sql`SELECT "userId", "holder", "expiresAt", "afterSeq" FROM ${imports} WHERE "chatId" = ${chatId}`,
    insertImport: ({ chatId, userId, holder, expiresAt, afterSeq }: ChatImport): Sql => sql`
      INSERT INTO ${imports} ("chatId", "userId", "holder", "expiresAt", "afterSeq")
      VALUES (${chatId}, ${userId}, ${holder}, ${expiresAt}, ${afterSeq})`,
    /** Writes one row, or none when the holder has lost the lease. */
    renewImport: (chatId: string, holder: string, expiresAt: number): Sql =>
      sql`UPDATE ${imports} SET "expiresAt" = ${expiresAt} WHERE "chatId" = ${chatId} AND "holder" = ${holder}`,
    /** Writes one row, or none when the lease is valid. */
    takeOverImport: ({ chatId, userId, holder, expiresAt }: Omit<ChatImport, 'afterSeq'>, now: number): Sql => sql`
      UPDATE ${imports} SET "holder" = ${holder}, "expiresAt" = ${expiresAt}
      WHERE "chatId" = ${chatId} AND "userId" = ${userId} AND "expiresAt" < ${now}`,
    deleteImport: (chatId: string): Sql => sql`DELETE FROM ${imports} WHERE "chatId" = ${chatId}`,
    /** Deletes the row of a hidden chat, unless its lease ended later. */
    deleteEndedImport: (chatId: string, leaseEndedBefore: number): Sql => sql`
      DELETE FROM ${imports}
      WHERE "chatId" = ${chatId} AND "expiresAt" < ${leaseEndedBefore} AND "afterSeq" IS NULL`,
    deleteImportsOf: (userId: string): Sql => sql`DELETE FROM ${imports} WHERE "userId" = ${userId}`,
    setCreatedAt: (chatId: string, createdAt: number): Sql =>
      sql`UPDATE ${chats} SET "createdAt" = ${createdAt} WHERE "id" = ${chatId}`,

    // Users.
    /** Rows { id, chatCount, lastActiveAt } of users between two in the list, the first so many, or from the last on. */
    users: (
      search: string,
      { after, before }: { after: UserPosition | null; before: UserPosition | null },
      from: 'first' | 'last',
      limit: number,
    ): Sql => sql`
      SELECT "userId" AS "id", count(*) AS "chatCount", max("updatedAt") AS "lastActiveAt"
      FROM ${chats} WHERE ${ofUsers(search)}
      GROUP BY "userId" HAVING ${join([raw('count(*) > 0'), ...beyondUser(after, '<'), ...beyondUser(before, '>')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'max("updatedAt") DESC, "userId" DESC' : 'max("updatedAt"), "userId"')} ${part(limit, 0)}`,
    /** One row { total }. */
    userCount: (search: string): Sql =>
      sql`SELECT count(DISTINCT "userId") AS "total" FROM ${chats} WHERE ${ofUsers(search)}`,

    // What is kept of deleted chats.
    deleteDeletionsBefore: (createdAt: number): Sql => sql`DELETE FROM ${deletions} WHERE "createdAt" < ${createdAt}`,
    /** One row { createdAt }, or none. */
    deletionOf: (chatId: string): Sql => sql`SELECT "createdAt" FROM ${deletions} WHERE "id" = ${chatId}`,
    deleteDeletion: (chatId: string): Sql => sql`DELETE FROM ${deletions} WHERE "id" = ${chatId}`,
    insertDeletion: ({ chatId, userId, seq, actorId, createdAt }: Deletion): Sql => sql`
      INSERT INTO ${deletions} ("id", "userId", "seq", "actorId", "createdAt")
      VALUES (${chatId}, ${userId}, ${seq}, ${actorId}, ${createdAt})`,

    // What has changed in the list of chats.
    /** Rows { chatId, userId, version, at, deletedAt } of chats behind a place, by updatedAt and id. */
    changedSince: ({ at, id }: ListPlace, limit: number): Sql => sql`
      SELECT c."id" AS "chatId", c."userId", c."version", c."updatedAt" AS "at", d."createdAt" AS "deletedAt"
      FROM ${chats} c LEFT JOIN ${deletions} d ON d."id" = c."id"
      WHERE c."updatedAt" >= ${at} AND (c."updatedAt" > ${at} OR c."id" > ${id}) AND c."userId" <> ${NOBODY}
      ORDER BY c."updatedAt", c."id" ${part(limit, 0)}`,
    /** The same rows of deletions, by when they were. */
    deletedSince: ({ at, id }: ListPlace, limit: number): Sql => sql`
      SELECT "id" AS "chatId", NULL AS "userId", "seq" AS "version", "createdAt" AS "at", "createdAt" AS "deletedAt"
      FROM ${deletions} WHERE "createdAt" >= ${at} AND ("createdAt" > ${at} OR "id" > ${id})
      ORDER BY "createdAt", "id" ${part(limit, 0)}`,

    // Erasing a user.
    /** Rows { id } of chats. */
    chatsOfUser: (userId: string, limit: number): Sql =>
      sql`SELECT "id" FROM ${chats} WHERE "userId" = ${userId} ORDER BY "id" ${part(limit, 0)}`,
    /** Rows { id } of deletions that name a user, by id, behind one; from the first behind ''. */
    deletionsNaming: (userId: string, after: string, limit: number): Sql => sql`
      SELECT "id" FROM ${deletions} WHERE ("userId" = ${userId} OR "actorId" = ${userId}) AND ${behind(after)}
      ORDER BY "id" ${part(limit, 0)}`,
    /** Puts a name in the place of a user's, as owner or actor, in the deletions behind one id up to another. */
    renameInDeletions: (
      column: 'userId' | 'actorId',
      userId: string,
      name: string,
      range: { after: string; to: string },
    ): Sql => sql`
      UPDATE ${deletions} SET ${raw(`"${column}"`)} = ${name}
      WHERE ${raw(`"${column}"`)} = ${userId} AND ${behind(range.after)} AND "id" <= ${range.to}`,
    /** Rows { chatId, seq } of a user's events, in that order, behind one. No index has the actor: all events are read. */
    eventsBy: (actorId: string, after: EventPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq" FROM ${table('chat_events')} WHERE "actorId" = ${actorId} AND ${beyond(after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    /** Puts a name in the place of a user's in the events behind one up to another. */
    renameInEvents: (actorId: string, name: string, range: { after: EventPosition; to: EventPosition }): Sql => sql`
      UPDATE ${table('chat_events')} SET "actorId" = ${name}
      WHERE "actorId" = ${actorId} AND ${beyond(range.after)} AND NOT ${beyond(range.to)}`,

    /** Rows { chatId, seq, payload } of the events of which some name users in their payloads, in that order, behind one. */
    transfers: (after: EventPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq", "payload" FROM ${table('chat_events')} WHERE "type" = 'ChatTransferred' AND ${beyond(after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    updatePayload: ({ chatId, seq }: EventPosition, payload: string): Sql => sql`
      UPDATE ${table('chat_events')} SET "payload" = ${payload} WHERE "chatId" = ${chatId} AND "seq" = ${seq}`,

    /** Rows { seq } of a user's messages in a chat, in that order, behind one. No index has the user: all of the chat's are read. */
    messagesBy: (createdBy: string, chatId: string, after: number, limit: number): Sql => sql`
      SELECT "seq" FROM ${table('messages')}
      WHERE "chatId" = ${chatId} AND "seq" > ${after} AND "createdBy" = ${createdBy}
      ORDER BY "seq" ${part(limit, 0)}`,
    /** Puts a name in the place of a user's in those messages of a chat. */
    renameInMessages: (createdBy: string, name: string, { chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      UPDATE ${table('messages')} SET "createdBy" = ${name}
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} AND "createdBy" = ${createdBy}`,

    // Copying.
    /** Rows of messages with all columns and parentSeq, from one seq to another, in order. */
    wholeMessages: (chatId: string, firstSeq: number, lastSeq: number): Sql => sql`
      SELECT ${namesOf('messages')}, (
        SELECT p."seq" FROM ${table('messages')} p WHERE p."chatId" = m."chatId" AND p."id" = m."parentId"
      ) AS "parentSeq"
      FROM ${table('messages')} m
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY "seq"`,
    /** Rows of a chat's checkpoints, in the order of their seqs. */
    checkpointsOf: (chatId: string): Sql =>
      sql`SELECT ${namesOf('checkpoints')} FROM ${table('checkpoints')} WHERE "chatId" = ${chatId} ORDER BY "seq"`,
    /** One row { total }: the chats that are somebody's. */
    countChats: (): Sql => sql`SELECT count(*) AS "total" FROM ${chats} WHERE "userId" <> ${NOBODY}`,
    /** One row { total }: of a chat, or without those of chats that are NOBODY's. */
    countRows: (name: ChatTable, chatId?: string): Sql => sql`
      SELECT count(*) AS "total" FROM ${table(name)}
      WHERE ${chatId === undefined ? sql`"chatId" NOT IN (${ofNobody})` : sql`"chatId" = ${chatId}`}`,

    /** One row, or none: see MessageLinks. */
    linksOf: ({ chatId, id }: ChatScoped): Sql => sql`
      SELECT m."id", m."depth", m."parentId", m."jumpId", p."depth" AS "parentDepth", j."depth" AS "jumpDepth"
      FROM ${table('messages')} m
      LEFT JOIN ${table('messages')} p ON p."chatId" = m."chatId" AND p."id" = m."parentId"
      LEFT JOIN ${table('messages')} j ON j."chatId" = m."chatId" AND j."id" = m."jumpId"
      WHERE m."chatId" = ${chatId} AND m."id" = ${id}`,

    // Branches.
    renameBranch: (id: string, name: string): Sql =>
      sql`UPDATE ${table('branches')} SET "name" = ${name} WHERE "id" = ${id}`,
    deleteBranch: (id: string): Sql => sql`DELETE FROM ${table('branches')} WHERE "id" = ${id}`,

    /** Rows of the events in a range of seqs by which branches have lost their names, in order. */
    lostNames: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT "chatId", "seq", "type", "actorId", "payload", "createdAt" FROM ${table('chat_events')}
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} AND "type" IN ('BranchRenamed', 'BranchDeleted')
      ORDER BY "seq"`,

    // Checkpoints.
    insertCheckpoints: (checkpoints: readonly Checkpoint[]): Sql => sql`
      INSERT INTO ${table('checkpoints')} (${namesOf('checkpoints')})
      VALUES ${join(checkpoints.map((row) => sql`(${join(columnNames('checkpoints').map((name) => row[name]))})`))}`,
    deleteCheckpoint: (id: string): Sql => sql`DELETE FROM ${table('checkpoints')} WHERE "id" = ${id}`,

    // The row that says which analyzer has made the index of search.
    /** One row { analyzer }, or none. */
    analyzer: (): Sql => sql`SELECT "analyzer" FROM ${searchIndex} WHERE "id" = 1`,
    insertAnalyzer: (version: number): Sql => sql`INSERT INTO ${searchIndex} ("id", "analyzer") VALUES (1, ${version})`,
    deleteOtherAnalyzer: (version: number): Sql => sql`DELETE FROM ${searchIndex} WHERE "analyzer" <> ${version}`,
    deleteAllTexts: (): Sql => sql`DELETE FROM ${table('message_texts')}`,
  };
}
