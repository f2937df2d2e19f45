import sql, { raw, type Sql } from 'sql-template-tag';
import { columnNames, type Row } from '../../conversation/tables.js';
import type { Connection, Queryable } from '../../database/connection/connection.js';
import { columnsOf, insertRows } from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';

/** Sessions of a user, and of each access token: a new one ends the oldest. */
export const MAX_SESSIONS_PER_USER = 100;
/** Expired rows that a new session deletes. */
const MAX_EXPIRED_ROWS = 200;

/** A session without the hash of its secret. */
export type StoredSession = Omit<Row<'page_sessions'>, 'secretHash'>;

type SessionKey = Pick<StoredSession, 'id' | 'accessTokenId'>;

export function sessionStatements(d: Differences) {
  const sessions = d.table('page_sessions');
  const columns = columnsOf('s', columnNames('page_sessions', ['secretHash']));
  return {
    insertSession: (row: Row<'page_sessions'>): Sql => insertRows(d, 'page_sessions', [row]),
    /** At most one row, also when it has expired. */
    sessionByHash: (secretHash: string): Sql =>
      sql`SELECT ${columns} FROM ${sessions} s WHERE s."secretHash" = ${secretHash}`,
    /** The ids of these sessions that exist. */
    sessionsById: (ids: readonly string[]): Sql =>
      sql`SELECT s."id" FROM ${sessions} s WHERE ${d.isOneOf(raw('s."id"'), ids)}`,
    /** Newest first. */
    sessionsOf: (userId: string): Sql => sql`
      SELECT s."id", s."accessTokenId" FROM ${sessions} s WHERE s."userId" = ${userId} ORDER BY s."createdAt" DESC, s."id" DESC`,
    expiredSessions: (now: number, limit: number): Sql => sql`
      SELECT s."id" FROM ${sessions} s WHERE s."expiresAt" <= ${d.number(now)} ORDER BY s."expiresAt" ${d.part(limit, 0)}`,
    deleteSessions: (ids: readonly string[]): Sql => sql`DELETE FROM ${sessions} WHERE ${d.isOneOf(raw('"id"'), ids)}`,
  };
}

/** The stored sessions of pages. */
export class SessionRecords {
  readonly #sql: ReturnType<typeof sessionStatements>;

  constructor(private readonly connection: Connection) {
    this.#sql = sessionStatements(connection.sql.differences);
  }

  /** Adds a session; deletes expired ones, and the oldest of those that have too many. @returns the ids of the latter */
  add(session: Row<'page_sessions'>): Promise<readonly string[]> {
    const { write } = this.connection;
    return write(`sessions of ${session.userId}`, async (tx) => {
      const expired = await tx.rows<{ id: string }>(this.#sql.expiredSessions(session.createdAt, MAX_EXPIRED_ROWS));
      const displaced = (await this.#ofToken(tx, session)).slice(MAX_SESSIONS_PER_USER - 1);
      const ids = [...expired.map(({ id }) => id), ...displaced];
      if (ids.length > 0) await tx.run(this.#sql.deleteSessions(ids));
      await tx.run(this.#sql.insertSession(session));
      return displaced;
    });
  }

  /** The session with this SHA-256 hash of its secret, also when it has expired. */
  async byHash(secretHash: string): Promise<StoredSession | null> {
    const { read } = this.connection;
    const [row] = await read((db) => db.rows<StoredSession>(this.#sql.sessionByHash(secretHash)));
    return row ?? null;
  }

  /** The existing sessions of these ids. */
  existing(ids: readonly string[]): Promise<{ id: string }[]> {
    const { read } = this.connection;
    return read((db) => db.rows<{ id: string }>(this.#sql.sessionsById(ids)));
  }

  /** Deletes the sessions of a user, or of an access token. @returns their ids */
  removeAll(of: Pick<StoredSession, 'userId' | 'accessTokenId'>): Promise<readonly string[]> {
    const { write } = this.connection;
    return write(`sessions of ${of.userId}`, async (tx) => {
      const ids = of.accessTokenId === null ? await this.#ofUser(tx, of.userId) : await this.#ofToken(tx, of);
      if (ids.length > 0) await tx.run(this.#sql.deleteSessions(ids));
      return ids;
    });
  }

  async remove(id: string): Promise<void> {
    const { write } = this.connection;
    await write(`session ${id}`, (tx) => tx.run(this.#sql.deleteSessions([id])));
  }

  async #ofUser(tx: Queryable, userId: string): Promise<string[]> {
    return (await tx.rows<SessionKey>(this.#sql.sessionsOf(userId))).map(({ id }) => id);
  }

  /** The ids of the sessions of one access token, or of the tokens of the issuer, newest first. */
  async #ofToken(tx: Queryable, of: Pick<StoredSession, 'userId' | 'accessTokenId'>): Promise<string[]> {
    const all = await tx.rows<SessionKey>(this.#sql.sessionsOf(of.userId));
    return all.filter(({ accessTokenId }) => accessTokenId === of.accessTokenId).map(({ id }) => id);
  }
}
