/**
 * The chats of the ids of messages, branches and checkpoints, in the distributed form of PostgreSQL. No unique key spans its shards, so each id
 * that a client chooses is reserved in its own commit before the change that uses it. Ids of the server need no entry.
 */
import sql, { join, raw } from 'sql-template-tag';
import type { Directory, Queryable, TableOfIds } from '../../database/connection/connection.js';

/** Reservations of up to this many ids are one commit each, and so change one shard each. */
const MAX_SINGLE_RESERVATIONS = 8;
const IDS_PER_STATEMENT = 500;

interface Entry {
  id: string;
  chatId: string;
}

/** Another chat has reserved an id. */
export class ReservedIdError extends Error {
  /** As of a duplicate key. */
  readonly code = '23505';
}

export class IdDirectory implements Directory {
  /** The statements that create its table. A reservation is confirmed, without a time, once a message has the id. */
  static readonly TABLE: readonly string[] = [
    `CREATE TABLE "id_directory" (
      "id" TEXT COLLATE "C" NOT NULL,
      "chatId" TEXT COLLATE "C" NOT NULL,
      "reservedAt" BIGINT,
      CONSTRAINT "id_directory_pkey" PRIMARY KEY ("id")
    )`,
    `CREATE INDEX "id_directory_reservedAt_idx" ON "id_directory" ("reservedAt") WHERE "reservedAt" IS NOT NULL`,
    `CREATE INDEX "id_directory_chatId_idx" ON "id_directory" ("chatId")`,
  ];

  /** @param db commits each statement */
  constructor(private readonly db: Queryable) {}

  async chatsOf(ids: readonly string[]): Promise<Map<string, string>> {
    const entries = await this.db.rows<Entry>(
      sql`SELECT "id", "chatId" FROM id_directory WHERE "id" = ANY (${ids}::text[])`,
    );
    return new Map(entries.map(({ id, chatId }) => [id, chatId]));
  }

  async reserve(chatId: string, ids: readonly string[], now = Date.now()): Promise<Map<string, string>> {
    const size = ids.length <= MAX_SINGLE_RESERVATIONS ? 1 : IDS_PER_STATEMENT;
    let count = 0;
    for (let n = 0; n < ids.length; n += size) {
      const rows = ids.slice(n, n + size).map((id) => sql`(${id}, ${chatId}, ${now}::bigint)`);
      count += await this.db.run(sql`
        INSERT INTO id_directory AS d ("id", "chatId", "reservedAt") VALUES ${join(rows)}
        ON CONFLICT ("id") DO UPDATE SET "reservedAt" = CASE WHEN d."reservedAt" IS NULL THEN NULL ELSE excluded."reservedAt" END
        WHERE d."chatId" = excluded."chatId"`);
    }
    if (count === ids.length) return new Map();
    return new Map([...(await this.chatsOf(ids))].filter(([, reservedFor]) => reservedFor !== chatId));
  }

  async require(chatId: string, table: TableOfIds, ids: readonly string[]): Promise<void> {
    // First, and without a reservation that would refuse the id to its chat: ids of the server have no entry.
    const [row] = await this.db.rows<Entry>(sql`
      SELECT "id", "chatId" FROM ${raw(table)} WHERE "id" = ANY (${ids}::text[]) AND "chatId" <> ${chatId} LIMIT 1`);
    if (row !== undefined) throw new ReservedIdError(`chat "${row.chatId}" has the id "${row.id}" in ${table}`);
    const entries = ids.map((id) => entryOf(table, id));
    const [taken] = await this.reserve(chatId, entries);
    if (taken !== undefined) throw new ReservedIdError(`chat "${taken[1]}" has reserved the id "${taken[0]}"`);
  }

  async release(chatId: string): Promise<void> {
    await this.db.run(sql`DELETE FROM id_directory WHERE "chatId" = ${chatId}`);
  }

  async sweep(before: number, signal: AbortSignal): Promise<void> {
    const isOld = sql`"reservedAt" < ${before}::bigint`;
    for (let after = ''; !signal.aborted;) {
      const entries = await this.db.rows<Entry>(sql`
        SELECT "id", "chatId" FROM id_directory WHERE ${isOld} AND "id" > ${after} ORDER BY "id" LIMIT ${IDS_PER_STATEMENT}::int`);
      const ids = entries.map(({ id }) => id);
      const saved: string[] = [];
      for (const table of TABLES) saved.push(...(await this.#used(table, ids)));
      const isUsed = new Set([...saved, ...(await this.#used('drafts', ids))]);
      const unused = ids.filter((id) => !isUsed.has(id));
      // A reservation that was renewed meanwhile stays.
      await this.db.run(sql`
        UPDATE id_directory SET "reservedAt" = NULL WHERE "id" = ANY (${saved}::text[]) AND ${isOld}`);
      await this.db.run(sql`DELETE FROM id_directory WHERE "id" = ANY (${unused}::text[]) AND ${isOld}`);
      const last = ids.at(-1);
      if (last === undefined || ids.length < IDS_PER_STATEMENT) return;
      after = last;
    }
  }

  /** The entries of rows in any chat: a chat whose message has an id of another one's reservation keeps it. */
  async #used(table: TableOfIds | 'drafts', entries: readonly string[]): Promise<string[]> {
    // A draft has the id of its future message.
    const kind = table === 'drafts' ? 'messages' : table;
    const ids = entries.flatMap((entry) => idIn(kind, entry) ?? []);
    if (ids.length === 0) return [];
    const rows = await this.db.rows<{ id: string }>(
      sql`SELECT "id" FROM ${raw(table)} WHERE "id" = ANY (${ids}::text[])`,
    );
    return rows.map(({ id }) => entryOf(kind, id));
  }
}

const TABLES: readonly TableOfIds[] = ['messages', 'branches', 'checkpoints'];

/** An entry of a message is its id. The others end with a space, which no id does. */
function entryOf(table: TableOfIds, id: string): string {
  return table === 'messages' ? id : `${table} ${id} `;
}

function idIn(table: TableOfIds, entry: string): string | null {
  if (table === 'messages') return entry.endsWith(' ') ? null : entry;
  return entry.startsWith(`${table} `) && entry.endsWith(' ') ? entry.slice(table.length + 1, -1) : null;
}
