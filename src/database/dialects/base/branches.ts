import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import type { NameKey } from '../../../conversation/reads.js';
import type { OpenRange, PathTop } from '../requests.js';
import type { Differences, KeyTable } from '../differences.js';
import { columnsOf, namesOf, type Fragments } from './fragments.js';

/** Tables that are listed by seq. */
export type ListedTable = 'branches' | 'checkpoints';

/** The list order of a table, as comparisons of seqs. */
const COMPARISONS = { branches: { upTo: '<=', before: '<' }, checkpoints: { upTo: '>=', before: '>' } } as const;

const checkpointColumns = columnsOf('c', namesOf('checkpoints'));

export function branchStatements(d: Differences, f: Fragments) {
  const { join, limit, top } = d;
  const branches = d.table('branches');
  const checkpoints = d.table('checkpoints');
  const branchesWithHead = (k: KeyTable<never>, rows: Sql, count?: number): Sql => sql`
    ${f.prepared(k.chat)} SELECT ${count === undefined ? empty : top(count)} ${f.branchColumns}, ${k.n} AS "n"
    FROM ${k.from} ${rows} ${f.heads('b', k.chat)} ${count === undefined ? empty : limit(count)}`;
  const nameKeys = (keys: readonly NameKey[]) => d.keys(keys, { chatId: 'chat', name: 'key' });
  const tops = (pieces: readonly PathTop[]) => d.keys(pieces, { chatId: 'chat', messageId: 'key', toDepth: 'int' });
  const top_ = (k: ReturnType<typeof tops>) => f.message('m', { id: k.messageId, chatId: k.chatId });
  const countOf = (condition: Sql): Sql => sql`sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;

  return {
    /** Rows of branches with headDepth, oldest first. */
    branches(keys: readonly ChatScoped[]): Sql {
      const k = f.scoped(keys);
      return branchesWithHead(k, d.lookUp('branches', 'b', f.isRow('b', k)));
    },
    /** Like `branches`, in any chat. */
    branchesById(ids: readonly string[]): Sql {
      const k = f.ids(ids);
      return branchesWithHead(k, f.anywhere('branches', 'b', { column: 'id', key: k.id, values: ids }));
    },
    branchesByName(keys: readonly NameKey[]): Sql {
      const k = nameKeys(keys);
      return branchesWithHead(k, d.lookUp('branches', 'b', sql`b."chatId" = ${k.chatId} AND b."name" = ${k.name}`));
    },
    activeBranches(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return branchesWithHead(
        k,
        sql`${join} ${branches} b ON b."chatId" = ${k.id} AND ${d.isTrue(raw('b."isActive"'))}`,
      );
    },
    /** With n, in any order. */
    branchesAt(messages: readonly ChatScoped[], count: number): Sql {
      const k = f.scoped(messages);
      return branchesWithHead(
        k,
        d.lookUp('branches', 'b', sql`b."chatId" = ${k.chatId} AND b."headMessageId" = ${k.id}`),
        count,
      );
    },
    /** The oldest of them, or none. */
    oldestBranchAt: (chatId: string, messageId: string): Sql => sql`
      SELECT ${top(1)} ${f.branchColumns} FROM ${branches} b
      JOIN ${d.table('messages')} h ON ${f.isRow('h', { id: raw('b."headMessageId"'), chatId: raw('b."chatId"') })}
      WHERE b."chatId" = ${chatId} AND b."headMessageId" = ${messageId} ORDER BY b."seq" ${limit(1)}`,

    /** Rows { n, id }: the ancestor of each message at a depth that is not below it. */
    ancestors(pieces: readonly PathTop[]): Sql {
      const k = tops(pieces);
      return sql`
      ${d.walk.begin} j("n", "chatId", "id", "parentId", "depth", "jumpId", "toDepth") AS (
        SELECT ${k.n}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", ${k.toDepth} FROM ${k.from} ${top_(k)}
        UNION ALL
        SELECT j."n", j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth" ${f.jumpStep(k.chat)}
      )
      SELECT j."n", j."id" FROM j WHERE j."depth" = j."toDepth" ${d.walk.end}`;
    },
    /**
     * Rows { chatId, id, parentId }: each message on the given paths up to a depth, once, deepest first; other messages
     * between those depths may be included. UNION merges paths that meet.
     */
    linksAbove(pieces: readonly PathTop[]): Sql {
      const k = tops(pieces);
      return sql`
      ${d.walk.begin} w("chatId", "id", "parentId", "depth", "toDepth") AS (
        SELECT m."chatId", m."id", m."parentId", m."depth", ${k.toDepth} FROM ${k.from} ${top_(k)}
        UNION
        SELECT w."chatId", p."id", p."parentId", p."depth", w."toDepth" ${f.parentStep(k.chat)} WHERE w."depth" > w."toDepth"
      )
      SELECT w."chatId", w."id", w."parentId" FROM w ORDER BY w."depth" DESC`;
    },

    /** Rows { n, total, low, high } per chat: the number of rows, those up to `after`, and those before `before`. */
    rankBounds(table: ListedTable, chatIds: readonly string[], after: number | null, before: number | null): Sql {
      const k = f.chats(chatIds);
      const seq = (comparison: string, value: number) => countOf(sql`t."seq" ${raw(comparison)} ${d.number(value)}`);
      return sql`
      ${f.prepared(k.chat)} SELECT ${k.n} AS "n", count(*) AS "total",
        ${after === null ? raw('0') : seq(COMPARISONS[table].upTo, after)} AS "low",
        ${before === null ? raw('count(*)') : seq(COMPARISONS[table].before, before)} AS "high"
      FROM ${k.from} ${join} ${d.table(table)} t ON t."chatId" = ${k.id}
      GROUP BY ${k.n}`;
    },
    /** Rows of a table with n: the first `count` of each range in list order; branches with headDepth. */
    listed(table: ListedTable, ranges: readonly OpenRange[], order: 'ASC' | 'DESC', count: number): Sql {
      const k = d.keys(ranges, { chatId: 'chat', above: 'int', below: 'int' });
      const areBranches = table === 'branches';
      return sql`
      ${f.prepared(k.chat)} SELECT ${k.n} AS "n", ${areBranches ? f.branchColumns : checkpointColumns}
      FROM ${k.from} ${d.firstOfEach(areBranches ? 'b' : 'c', {
        table,
        where: sql`s."chatId" = ${k.chatId} AND s."seq" > ${k.above} AND s."seq" < ${k.below}`,
        order: raw(`s."seq" ${order}`),
        limit: count,
      })}
      ${areBranches ? f.heads('b', k.chat) : empty}`;
    },

    /** Rows of checkpoints with n, in any order. */
    checkpointsAt(messages: readonly ChatScoped[], count: number): Sql {
      const k = f.scoped(messages);
      return sql`
      ${f.prepared(k.chat)} SELECT ${top(count)} ${k.n} AS "n", ${checkpointColumns} FROM ${k.from}
      ${d.lookUp('checkpoints', 'c', sql`c."chatId" = ${k.chatId} AND c."messageId" = ${k.id}`)} ${limit(count)}`;
    },
    checkpoints(keys: readonly ChatScoped[]): Sql {
      const k = f.scoped(keys);
      return sql`${f.prepared(k.chat)} SELECT ${checkpointColumns} FROM ${k.from} ${d.lookUp('checkpoints', 'c', f.isRow('c', k))}`;
    },
    /** Rows of any chat. */
    checkpointsById(ids: readonly string[]): Sql {
      const k = f.ids(ids);
      return sql`
      SELECT ${checkpointColumns} FROM ${k.from}
      ${f.anywhere('checkpoints', 'c', { column: 'id', key: k.id, values: ids })}`;
    },
    checkpointsByName(keys: readonly NameKey[]): Sql {
      const k = nameKeys(keys);
      return sql`
      ${f.prepared(k.chat)} SELECT ${checkpointColumns} FROM ${k.from}
      ${d.lookUp('checkpoints', 'c', sql`c."chatId" = ${k.chatId} AND c."name" = ${k.name}`)}`;
    },

    /** Rows { name } of a chat's branches with a prefix, from a name on, in index order. */
    branchNames: (chatId: string, prefix: string, from: string, count: number): Sql => sql`
      SELECT ${top(count)} b."name" FROM ${branches} b
      WHERE b."chatId" = ${chatId} AND b."name" >= ${from} AND ${d.startsWith(raw('b."name"'), prefix)}
      ORDER BY b."name" ${limit(count)}`,
    renameBranch: ({ chatId, id, name }: ChatScoped & { readonly name: string }): Sql =>
      sql`UPDATE ${branches} SET "name" = ${name} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
    deleteBranch: ({ chatId, id }: ChatScoped): Sql =>
      sql`DELETE FROM ${branches} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
    deleteCheckpoint: ({ chatId, id }: ChatScoped): Sql =>
      sql`DELETE FROM ${checkpoints} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
  };
}
