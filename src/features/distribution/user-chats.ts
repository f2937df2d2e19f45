/**
 * Copies of chats by owner, in the distributed form of PostgreSQL: a list of a user reads one shard of this table instead of
 * all shards of chats. A change writes its copy after its commit and before its answer, so that a list shows the client's own
 * change. A sweep repairs copies that a failure has left out, from the rows of the chats.
 */
import sql, { join, raw } from 'sql-template-tag';
import type { Chat } from '../../conversation/model.js';
import { columnNames } from '../../conversation/tables.js';
import { fragmentsOf, isThere } from '../../database/dialects/base/fragments.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { postgresqlDifferences } from '../../database/dialects/postgresql/differences.js';
import type { ListCopies, Queryable } from '../../database/connection/connection.js';
import type { ListedRow, ListPlace } from '../../conversation/log-reads.js';

const CHATS_PER_STATEMENT = 500;
/** Milliseconds between sweeps of all servers together. */
const SWEEP_INTERVAL_MS = 60_000;
/** Milliseconds after which a change is committed and copied, or has failed: more than any transaction takes. */
const SETTLED_MS = 5 * 60_000;

/** The row of this user has the time up to which all copies are complete; no user's id is empty. */
const SWEEPS = '';

const COLUMNS = columnNames('chats');
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const NAMES = quoted([...COLUMNS, 'members']);
/** A copy replaces those of the same or an earlier version: copies of concurrent changes arrive in any order. */
const UNLESS_NEWER = raw(`
  ON CONFLICT ("userId", "id") DO UPDATE SET ${[...COLUMNS, 'members']
    .filter((name) => name !== 'userId' && name !== 'id')
    .map((name) => `"${name}" = excluded."${name}"`)
    .join(', ')}, "isListed" = true, "checkAt" = NULL
  WHERE excluded."version" >= t."version"`);

interface ListedChat {
  userId: string;
  id: string;
}

export class UserChatTable implements ListCopies {
  /**
   * The statements that create it. A row that is not listed stands for a chat that may have left the user, or that is about
   * to be written; its version is that of the change. `checkAt` is the time of a row that a sweep compares with the chat.
   */
  static readonly TABLE: readonly string[] = [
    `CREATE TABLE "user_chats" (
      "userId" TEXT COLLATE "C" NOT NULL,
      "id" TEXT COLLATE "C" NOT NULL,
      "title" TEXT,
      "metadata" JSONB NOT NULL,
      "createdAt" BIGINT NOT NULL,
      "updatedAt" BIGINT NOT NULL,
      "version" INTEGER NOT NULL,
      "usage" TEXT,
      "members" TEXT,
      "isListed" BOOLEAN NOT NULL,
      "checkAt" BIGINT,
      CONSTRAINT "user_chats_pkey" PRIMARY KEY ("userId", "id")
    )`,
    `CREATE INDEX "user_chats_list_idx" ON "user_chats" ("userId", "updatedAt", "id") WHERE "isListed"`,
    `CREATE INDEX "user_chats_checkAt_idx" ON "user_chats" ("checkAt") WHERE "checkAt" IS NOT NULL`,
  ];

  isComplete = false;

  /** @param db commits each statement */
  constructor(private readonly db: Queryable) {}

  async list(chats: readonly Chat[], warn?: (line: string) => void): Promise<void> {
    try {
      for (const chat of chats) {
        await this.db.run(sql`
          INSERT INTO user_chats AS t (${raw(NAMES)}, "isListed") VALUES (${join(valuesOf(chat))}, true) ${UNLESS_NEWER}`);
      }
    } catch (error) {
      warn?.(
        `Lists of users lack a change until the next sweep: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async leave({ id, userId, version }: Pick<Chat, 'id' | 'userId' | 'version'>): Promise<void> {
    await this.db.run(sql`
      INSERT INTO user_chats ("userId", "id", "metadata", "createdAt", "updatedAt", "version", "isListed", "checkAt")
      VALUES (${userId}, ${id}, '{}', 0, 0, ${version + 1}, false, ${Date.now()})
      ON CONFLICT ("userId", "id") DO UPDATE SET "title" = NULL, "metadata" = excluded."metadata", "usage" = NULL, "members" = NULL,
        "version" = excluded."version", "isListed" = false, "checkAt" = excluded."checkAt"`);
  }

  async expect({ id, userId }: Pick<Chat, 'id' | 'userId'>): Promise<void> {
    // A chat that was deleted may have had the same id, and a higher version.
    await this.db.run(sql`
      INSERT INTO user_chats AS t ("userId", "id", "metadata", "createdAt", "updatedAt", "version", "isListed", "checkAt")
      VALUES (${userId}, ${id}, '{}', 0, 0, 0, false, ${Date.now()})
      ON CONFLICT ("userId", "id") DO UPDATE SET "checkAt" = excluded."checkAt",
        "version" = CASE WHEN t."isListed" THEN t."version" ELSE 0 END`);
  }

  async forget(userId: string): Promise<void> {
    await this.db.run(sql`DELETE FROM user_chats WHERE "userId" = ${userId}`);
    const named = (column: 'userId' | 'addedBy') =>
      sql`"members"::jsonb @> ${JSON.stringify([{ [column]: userId }])}::jsonb`;
    const isNamed = sql`(${named('userId')} OR ${named('addedBy')})`;
    for (;;) {
      const rows = await this.db.rows<ListedChat>(sql`
        SELECT "userId", "id" FROM user_chats WHERE ${isNamed} LIMIT ${CHATS_PER_STATEMENT}::int`);
      const ids = rows.map(({ id }) => id);
      await this.#copy(ids);
      // The chats of the remaining rows do not exist.
      await this.db.run(sql`DELETE FROM user_chats WHERE "id" = ANY (${ids}::text[]) AND ${isNamed}`);
      if (rows.length < CHATS_PER_STATEMENT) return;
    }
  }

  async sweep({ changedSince }: Pick<Dialect, 'changedSince'>, signal: AbortSignal, now = Date.now()): Promise<void> {
    const state = await this.refresh();
    if (this.isComplete && state !== null && state.at > now - SWEEP_INTERVAL_MS) return;
    let place: ListPlace = { at: state === null ? 0 : state.at - SETTLED_MS, id: '' };
    for (let page: ListedRow[] | null = null; page === null || page.length === CHATS_PER_STATEMENT;) {
      if (signal.aborted) return;
      page = await this.db.rows<ListedRow>(changedSince(place, CHATS_PER_STATEMENT));
      await this.#copy(await this.#differing(page));
      const last = page.at(-1);
      if (last !== undefined) place = { at: last.at, id: last.chatId };
      // Imported chats may have times in the future.
      const at = Math.min(place.at, now);
      if (page.length === CHATS_PER_STATEMENT) await this.#save({ at, isComplete: this.isComplete });
    }
    await this.#check(now);
    await this.#save({ at: now, isComplete: true });
    this.isComplete = true;
  }

  /** Reads whether it is complete. */
  async refresh(): Promise<{ at: number } | null> {
    const [state] = await this.db.rows<{ at: number; isComplete: boolean }>(sql`
      SELECT "updatedAt" AS "at", "version" = 1 AS "isComplete" FROM user_chats WHERE "userId" = ${SWEEPS} AND "id" = ${SWEEPS}`);
    this.isComplete = state?.isComplete === true;
    return state ?? null;
  }

  async #save({ at, isComplete }: { at: number; isComplete: boolean }): Promise<void> {
    await this.db.run(sql`
      INSERT INTO user_chats ("userId", "id", "metadata", "createdAt", "updatedAt", "version", "isListed")
      VALUES (${SWEEPS}, ${SWEEPS}, '{}', 0, ${at}, ${isComplete ? 1 : 0}, false)
      ON CONFLICT ("userId", "id") DO UPDATE SET "updatedAt" = excluded."updatedAt", "version" = excluded."version"`);
  }

  /** The ids of the chats whose copies are missing or of another version. */
  async #differing(chats: readonly ListedRow[]): Promise<string[]> {
    const [userIds, ids] = [chats.map(({ userId }) => userId), chats.map(({ chatId }) => chatId)];
    const same = await this.db.rows<{ id: string }>(sql`
      SELECT t."id" FROM unnest(${userIds}::text[], ${ids}::text[], ${chats.map(({ version }) => version)}::int[]) k("userId", "id", "version")
      JOIN user_chats t ON t."userId" = k."userId" AND t."id" = k."id" AND t."version" = k."version"
      WHERE t."isListed" AND t."userId" = ANY (${userIds}::text[]) AND t."id" = ANY (${ids}::text[])`);
    const isSame = new Set(same.map(({ id }) => id));
    return ids.filter((id) => !isSame.has(id));
  }

  async #copy(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.db.run(sql`
      INSERT INTO user_chats AS t (${raw(NAMES)}, "isListed")
      SELECT ${raw(quoted(COLUMNS))}, ${MEMBERS}, true FROM chats c WHERE c."id" = ANY (${ids}::text[]) AND ${isThere} ${UNLESS_NEWER}`);
  }

  /** Compares settled rows with their chats: those of changes that failed become copies again. */
  async #check(now: number): Promise<void> {
    const isDue = sql`"checkAt" < ${now - SETTLED_MS}::bigint`;
    for (let due: ListedChat[] | null = null; due === null || due.length === CHATS_PER_STATEMENT;) {
      due = await this.db.rows<ListedChat>(sql`
        SELECT "userId", "id" FROM user_chats WHERE ${isDue} ORDER BY "checkAt" LIMIT ${CHATS_PER_STATEMENT}::int`);
      if (due.length === 0) return;
      const [userIds, ids] = [due.map(({ userId }) => userId), due.map(({ id }) => id)];
      const areDue = sql`"userId" = ANY (${userIds}::text[]) AND "id" = ANY (${ids}::text[]) AND ${isDue}`;
      await this.db.run(sql`UPDATE user_chats SET "version" = 0 WHERE ${areDue} AND NOT "isListed"`);
      await this.#copy(ids);
      await this.db.run(sql`DELETE FROM user_chats WHERE ${areDue} AND NOT "isListed"`);
      await this.db.run(sql`UPDATE user_chats SET "checkAt" = NULL WHERE ${areDue}`);
    }
  }
}

const MEMBERS = fragmentsOf(postgresqlDifferences).members();

/** In the order of NAMES. */
function valuesOf(chat: Chat): unknown[] {
  const values = COLUMNS.map((name) =>
    name === 'metadata' ? postgresqlDifferences.metadata.value(chat.metadata) : chat[name],
  );
  return [...values, chat.members ?? null];
}
