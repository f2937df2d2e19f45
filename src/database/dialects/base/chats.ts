/** Chats. Every read skips chats without an owner; rows of other tables are reached through chats. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ListPlace } from '../../../conversation/log-reads.js';
import type { ChatFilter, ChatPosition } from '../../../conversation/reads.js';
import type { IndexTerm } from '../../../search/query.js';
import type { Differences } from '../differences.js';
import { isAfter, isThere, DELETED_OWNER, type Fragments } from './fragments.js';

/** Both ends exclusive, in the order of the list. */
export interface ChatRange {
  after: ChatPosition | null;
  before: ChatPosition | null;
}

type Order = 'newest' | 'oldest';
const ORDER = { newest: raw('c."updatedAt" DESC, c."id" DESC'), oldest: raw('c."updatedAt", c."id"') };

export function chatStatements(d: Differences, f: Fragments) {
  const { limit, top } = d;
  const chats = d.table('chats');
  const branches = d.table('branches');
  const words = d.table('chat_title_words');
  const word = raw('w."word"');
  const inSteps = d.metadata.isReadInSteps;
  const filtered = (
    columns: Sql,
    filter: ChatFilter,
    range: ChatRange,
    order: Order,
    count: number,
    among: readonly string[] | null = null,
  ): Sql => {
    const end = sql`ORDER BY ${ORDER[order]} ${limit(count)}`;
    const select = (from: Sql) => sql`SELECT ${top(count)} ${columns} FROM ${from} ${end}`;
    const where = (own: Sql[]) => join([...own, ...between(range)], ' AND ');
    if (among !== null) {
      const k = f.ids(among);
      const visible = isShared(filter) ? conditions(filter, ownOrShared) : conditions(filter);
      return select(sql`${k.from} ${d.join} ${chats} c ON c."id" = ${k.id} WHERE ${where(visible)}`);
    }
    const own = sql`${chats} c WHERE ${where(conditions(filter))}`;
    if (!isShared(filter)) return select(own);
    // Each list is limited on its own, so that the own chats are read by their index as without shared ones.
    const ids = (from: Sql) => sql`SELECT x."id" FROM (SELECT ${top(count)} c."id" FROM ${from} ${end}) x`;
    return select(sql`
      (${ids(own)} UNION ALL ${ids(sql`${sharedWith(filter.userId)} WHERE ${where(conditions(filter, ofOthers))}`)}) k
      ${d.join} ${chats} c ON c."id" = k."id"`);
  };

  const isShared = (filter: ChatFilter): filter is ChatFilter & { userId: string } =>
    filter.includeShared === true && filter.userId !== null;

  /** The chats c of which a user is a member. */
  const sharedWith = (userId: string): Sql =>
    sql`${d.table('chat_members')} s ${d.join} ${chats} c ON c."id" = s."chatId" AND s."userId" = ${userId}`;
  const ofOthers = (userId: string): Sql => sql`c."userId" <> ${userId} AND ${isThere}`;
  const ownOrShared = (userId: string): Sql => sql`(c."userId" = ${userId} OR ${isThere} AND EXISTS (
      SELECT 1 FROM ${d.table('chat_members')} s WHERE s."chatId" = c."id" AND s."userId" = ${userId}))`;

  function conditions(
    { userId, chatId = null, metadata, updatedAfter = null, updatedBefore = null }: ChatFilter,
    owners = (userId: string): Sql => sql`c."userId" = ${userId}`,
  ): Sql[] {
    return [
      userId === null ? isThere : owners(userId),
      ...(chatId === null ? [] : [sql`c."id" = ${chatId}`]),
      ...(updatedAfter === null ? [] : [sql`c."updatedAt" > ${d.number(updatedAfter)}`]),
      ...(updatedBefore === null ? [] : [sql`c."updatedAt" < ${d.number(updatedBefore)}`]),
      ...(metadata.length === 0 ? [] : d.metadata.has(metadata)),
    ];
  }

  const between = ({ after, before }: ChatRange): Sql[] => [...beyond(after, '<'), ...beyond(before, '>')];

  /** SQL Server cannot compare row values. The first condition seeks in the index. */
  function beyond(position: ChatPosition | null, comparison: '<' | '>'): Sql[] {
    if (position === null) return [];
    const at = d.number(position.updatedAt);
    const is = raw(comparison);
    return [sql`c."updatedAt" ${is}= ${at} AND (c."updatedAt" ${is} ${at} OR c."id" ${is} ${position.id})`];
  }

  return {
    /** Rows of chats, their metadata as text. */
    chatsById(ids: readonly string[]): Sql {
      const k = f.chats(ids);
      return sql`SELECT ${f.chatColumns(k.chat)} FROM ${k.from} ${d.join} ${chats} c ON c."id" = ${k.id} AND ${isThere}`;
    },
    /**
     * Rows of chats with their active branch (nulls for none): branchId, branchName, headMessageId, headDepth,
     * branchCreatedAt, branchCreatedBy, branchSeq.
     */
    chatsWithBranch: d.kept((ids: readonly string[]): Sql => {
      const k = f.chats(ids);
      return sql`
      ${f.prepared(k.chat)}
      SELECT ${f.chatColumns(k.chat)}, b."id" AS "branchId", b."name" AS "branchName", b."headMessageId", h."depth" AS "headDepth",
        b."createdAt" AS "branchCreatedAt", b."createdBy" AS "branchCreatedBy", b."seq" AS "branchSeq"
      FROM ${k.from} ${d.join} ${chats} c ON c."id" = ${k.id} AND ${isThere}
      LEFT JOIN ${branches} b ON b."chatId" = c."id" AND ${f.isNamed(null)} ${f.heads('b', k.chat)}`;
    }),
    /** Rows of chats beyond a position in the list (newest update first), or, backwards, before it. */
    chats: (filter: ChatFilter, range: ChatRange, order: Order, count: number): Sql =>
      filtered(f.chatColumns(), filter, range, order, count),
    /** One row { total }. */
    chatCount(filter: ChatFilter): Sql {
      const own = sql`SELECT count(*) AS "total" FROM ${chats} c WHERE ${join(conditions(filter), ' AND ')}`;
      if (!isShared(filter)) return own;
      const shared = sql`${sharedWith(filter.userId)} WHERE ${join(conditions(filter, ofOthers), ' AND ')}`;
      return sql`SELECT (${own}) + (SELECT count(*) FROM ${shared}) AS "total"`;
    },
    /** Rows { id } of other users' chats of which a user is a member, newest update first. */
    sharedChats: (userId: string, count: number): Sql => sql`
      SELECT ${top(count)} c."id" FROM ${sharedWith(userId)} WHERE ${ofOthers(userId)}
      ORDER BY ${ORDER.newest} ${limit(count)}`,
    /** A filter evaluated in steps: pages of chats, then those that match the metadata conditions. */
    filterSteps: {
      /**
       * Rows { id, updatedAt, title } in the order of `chats`; also bytes, the approximate size of the metadata, if
       * `matching` reads it.
       * @param among null: all chats
       */
      listed: (
        { metadata, ...filter }: ChatFilter,
        range: ChatRange,
        order: Order,
        count: number,
        among: readonly string[] | null,
      ): Sql =>
        filtered(
          sql`c."id", c."updatedAt", c."title"${inSteps ? sql`, ${d.bytes(d.metadata.column)} AS "bytes"` : empty}`,
          { ...filter, metadata: inSteps ? [] : metadata },
          range,
          order,
          count,
          among,
        ),
      /** Rows { id } of the chats that match; null if `listed` has filtered. */
      matching: inSteps
        ? (ids: readonly string[], metadata: ChatFilter['metadata']): Sql => {
            const k = f.chats(ids);
            return sql`
      SELECT c."id" FROM ${k.from} ${d.join} ${chats} c ON c."id" = ${k.id}
      WHERE ${join(conditions({ userId: null, metadata }), ' AND ')}`;
          }
        : null,
    },
    /** Rows { chatId, userId, version, at, deletedAt } of chats after a position, by updatedAt and id. */
    changedSince: ({ at, id }: ListPlace, limit: number): Sql => sql`
      SELECT c."id" AS "chatId", c."userId", c."version", c."updatedAt" AS "at", d."createdAt" AS "deletedAt"
      FROM ${chats} c LEFT JOIN ${d.table('deleted_chats')} d ON d."id" = c."id"
      WHERE c."updatedAt" >= ${at} AND (c."updatedAt" > ${at} OR c."id" > ${id}) AND c."userId" <> ${DELETED_OWNER}
      ORDER BY c."updatedAt", c."id" ${d.part(limit, 0)}`,
    /** Rows of deletions after a position, by time and id. */
    deletedSince: ({ at, id }: ListPlace, limit: number): Sql => sql`
      SELECT "id" AS "chatId", NULL AS "userId", "seq" AS "version", "createdAt" AS "at", "createdAt" AS "deletedAt"
      FROM ${d.table('deleted_chats')} WHERE "createdAt" >= ${at} AND ("createdAt" > ${at} OR "id" > ${id})
      ORDER BY "createdAt", "id" ${d.part(limit, 0)}`,

    // The words of titles, which filters of chats look up: see writing/index-titles.ts.
    /**
     * Rows { n, id }: up to `count` chats whose titles contain the nth term; for prefixes, a chat may repeat. Also up to
     * `count` chats with outdated words, after the last term. Their list is read first: a chat whose words are written
     * meanwhile is in it, or in the lists of its words.
     */
    titleCandidates(terms: readonly IndexTerm[], count: number): Sql {
      const [top, limit] = [d.top(count), d.limit(count)];
      const lists = terms.map(({ term, isPrefix }) => {
        const is = isPrefix ? sql`${word} >= ${term} AND ${d.startsWith(word, term)}` : sql`${word} = ${term}`;
        return sql`SELECT ${top} w."chatId" AS "id" FROM ${words} w WHERE ${is} ${limit}`;
      });
      const numbered = (list: Sql, n: number) => sql`SELECT ${raw(String(n))} AS "n", x."id" FROM (${list}) x`;
      const outdated = sql`SELECT ${top} c."id" FROM ${chats} c WHERE ${d.hasOutdatedWords} ${limit}`;
      return join([numbered(outdated, terms.length), ...lists.map(numbered)], ' UNION ALL ');
    },
    /** Rows { id } of chats with outdated words, also of hidden ones, after an id. */
    outdatedTitles: (after: string, count: number): Sql => sql`
      SELECT c."id" FROM ${chats} c WHERE ${d.hasOutdatedWords} AND ${isAfter(raw('c."id"'), after)}
      ORDER BY c."id" ${d.part(count, 0)}`,
    /** Locks a chat with outdated words, also a hidden one, and returns its title; no row while it is locked. */
    lockTitle: (id: string): Sql => sql`
      SELECT c."title" FROM ${chats} c ${d.lockIfFree.table} WHERE c."id" = ${id} AND ${d.hasOutdatedWords}
      ${d.lockIfFree.statement}`,
    deleteTitleWords: (chatId: string): Sql => sql`DELETE FROM ${words} WHERE "chatId" = ${chatId}`,
    setIndexedTitle: (chatId: string, title: string | null): Sql =>
      sql`UPDATE ${chats} SET "indexedTitle" = ${title} WHERE "id" = ${chatId}`,
    /** Makes the words of all titles outdated. */
    forgetTitleWords: (): Sql => sql`UPDATE ${chats} SET "indexedTitle" = NULL WHERE "indexedTitle" IS NOT NULL`,
  };
}
