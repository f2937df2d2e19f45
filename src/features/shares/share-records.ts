/** The stored shares. */
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { Chat } from '../../conversation/model.js';
import type { FeatureReads } from '../../conversation/reads.js';
import { type Row, columnNames, pickColumns } from '../../conversation/tables.js';
import type { Rows } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { byKey, toChat, type Keyed } from '../../database/reading/rows.js';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, fragmentsOf, insertRows, isThere } from '../../database/dialects/base/fragments.js';

/** A share without its hash and its other branches. */
export type Share = Omit<Row<'shares'>, 'tokenHash' | 'branches'>;

/** A share with the depth of its last message. */
export interface SharedEnd extends Pick<Row<'shares'>, 'branches'>, Share {
  readonly depth: number;
}

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The shares of each chat, newest first. */
    shares(chatIds: readonly string[]): Promise<Share[][]>;
    /** The share with this hash of its token, also when it has expired. */
    shareByHash(tokenHash: string): Promise<SharedEnd | null>;
  }
}

const LISTED = columnNames('shares', ['tokenHash', 'branches']);

/** SQLite has numbers for booleans. */
interface ShareRow extends Omit<Share, 'includeReasoning' | 'includeTools'> {
  includeReasoning: boolean | number;
  includeTools: boolean | number;
}

export class ShareRecords {
  readonly #sql: ReturnType<typeof shareStatements>;

  constructor(private readonly connection: Connection) {
    this.#sql = shareStatements(connection.sql.differences);
  }

  /** The reads of an operation. */
  readonly reads = ({ rows }: Rows): Pick<FeatureReads, 'shares' | 'shareByHash'> => ({
    shares: async (chatIds) => {
      const found = await rows<Keyed & ShareRow>(this.#sql.sharesOf(chatIds));
      return byKey(found, chatIds, toShare).map((list) => list.sort((one, other) => other.createdAt - one.createdAt));
    },
    shareByHash: async (tokenHash) => {
      const [row] = await rows<ShareRow & Pick<SharedEnd, 'depth' | 'branches'>>(this.#sql.shareByHash(tokenHash));
      return row === undefined ? null : { ...toShare(row), depth: row.depth, branches: row.branches };
    },
  });

  /**
   * Adds a share under the lock of its chat, so that it cannot follow a transfer. Shares of a chat have distinct
   * times.
   * @param mayShare whether the present chat allows it
   * @returns null for a missing chat, one that does not allow it, and one with `limit` shares
   */
  add(
    row: Row<'shares'>,
    { mayShare, limit }: { mayShare: (chat: Chat) => boolean; limit: number },
  ): Promise<{ share: Share } | 'missing' | 'full'> {
    const { sql, write } = this.connection;
    return write(row.chatId, async (tx) => {
      const [chat] = await tx.rows<Chat>(sql.lockChat(row.chatId));
      if (chat === undefined || !mayShare(toChat(chat, sql))) return 'missing';
      const others = await tx.rows<ShareRow>(this.#sql.sharesOf([row.chatId]));
      if (others.length >= limit) return 'full';
      const newest = others.reduce((time, { createdAt }) => Math.max(time, createdAt), 0);
      // Their positions in lists.
      const share = { ...row, createdAt: Math.max(row.createdAt, newest + 1) };
      await tx.run(this.#sql.insertShare(share));
      return { share: toShare(share) };
    });
  }

  async byId(id: string): Promise<Share | null> {
    const { read } = this.connection;
    const [row] = await read((db) => db.rows<ShareRow>(this.#sql.shareById(id)));
    return row === undefined ? null : toShare(row);
  }

  /** Returns false when there is no such share. */
  async remove(share: ChatScoped): Promise<boolean> {
    const { write } = this.connection;
    return (await write(`share ${share.id}`, (tx) => tx.run(this.#sql.deleteShare(share)))) > 0;
  }
}

function toShare(row: ShareRow): Share {
  const included = { includeReasoning: Boolean(row.includeReasoning), includeTools: Boolean(row.includeTools) };
  return { ...pickColumns(row, LISTED), ...included };
}

export function shareStatements(d: Differences) {
  const f = fragmentsOf(d);
  const shares = d.table('shares');
  const columns = columnsOf('s', LISTED);

  return {
    insertShare: (row: Row<'shares'>): Sql => insertRows(d, 'shares', [row]),
    /** Rows { n } of shares, in any order. */
    sharesOf(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${k.n} AS "n", ${columns} FROM ${k.from} ${d.lookUp('shares', 's', sql`s."chatId" = ${k.id}`)}`;
    },
    /** At most one row. */
    shareById: (id: string): Sql => sql`SELECT ${columns} FROM ${shares} s WHERE s."id" = ${id}`,
    /** At most one row, with the depth of its last message. Shares of chats that are being deleted are skipped. */
    shareByHash: (tokenHash: string): Sql => sql`
      SELECT ${columns}, s."branches" AS "branches", m."depth" AS "depth" FROM ${shares} s
      JOIN ${d.table('chats')} c ON c."id" = s."chatId" AND ${isThere}
      ${f.message('m', { id: raw('s."messageId"'), chatId: raw('s."chatId"') })}
      WHERE s."tokenHash" = ${tokenHash}`,
    deleteShare: ({ chatId, id }: ChatScoped): Sql =>
      sql`DELETE FROM ${shares} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
  };
}
