/** A SQLite file of `@deepagents/context`, opened for reading only. */
import { LOCAL_ADMIN } from '../../../conversation/access/ownership.js';
import { isSqliteError, openSqlite, type SqliteFile } from '../../../system/sqlite-driver.js';
import { UnreadableError } from '@parley/interchange/server';
import {
  originalTables,
  type OriginalBranch,
  type OriginalChat,
  type OriginalCheckpoint,
  type OriginalContent,
  type OriginalDatabase,
  type OriginalNode,
  type OriginalTables,
} from './original-database.js';

const CHATS_PER_STEP = 100;
/** The smallest rowid of SQLite. */
const FIRST_ROWID = String(-(2n ** 63n));

/** @throws UnreadableError when it is damaged, or another kind of database */
export function openSqliteOriginal(path: string): OriginalDatabase {
  const db = guarded(path, () => openSqlite(path, { readonly: true, fileMustExist: true }));
  try {
    const tables = guarded(path, () => {
      // Expressions in an untrusted schema must not run.
      db.pragma('trusted_schema = OFF');
      db.exec('BEGIN');
      const found = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return originalTables(path, new Set(found.map(({ name }) => name)));
    });
    return new SqliteOriginal(db, path, tables);
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteOriginal implements OriginalDatabase {
  constructor(
    private readonly db: SqliteFile,
    private readonly path: string,
    private readonly tables: OriginalTables,
  ) {}

  async chatCount(): Promise<number> {
    const [row] = this.#all<{ total: number }>(`SELECT count(*) AS total FROM ${this.tables.chats}`, []);
    return row?.total ?? 0;
  }

  async *chats(): AsyncGenerator<OriginalChat[]> {
    type Row = Omit<OriginalChat, 'userId' | 'title'> & { userId?: string; title: string | number | Buffer | null };
    // As text: rowids have 64 bits, and the file chooses them.
    const from = 'WHERE rowid >= CAST(? AS INTEGER)';
    const { chats } = this.tables;
    const next = `SELECT CAST(rowid AS TEXT) AS rowid FROM ${chats} ${from} ORDER BY rowid`;
    for (let first: string | undefined = FIRST_ROWID; first !== undefined;) {
      const [row]: { rowid: string }[] = this.#all(`${next} LIMIT 1 OFFSET ${CHATS_PER_STEP}`, [first]);
      const end: string | undefined = row?.rowid;
      // A file can have a column of this name.
      if (end !== undefined && !isLess(first, end))
        throw new UnreadableError(`The chats of ${this.path} have no rowids`);
      const rows =
        end === undefined
          ? this.#all<Row>(`SELECT * FROM ${chats} ${from} ORDER BY rowid`, [first])
          : this.#all<Row>(`SELECT * FROM ${chats} ${from} AND rowid < CAST(? AS INTEGER) ORDER BY rowid`, [
              first,
              end,
            ]);
      if (rows.length > 0) yield rows.map(toChat);
      first = end;
    }
  }

  async nodes(chatId: string): Promise<OriginalNode[]> {
    const statement = `SELECT id, parentId, createdAt FROM ${this.tables.messages} WHERE chatId = ? ORDER BY rowid`;
    return this.#all(statement, [chatId]);
  }

  async contents(chatId: string, ids: readonly string[]): Promise<OriginalContent[]> {
    const given = '(SELECT value FROM json_each(?))';
    const statement = `SELECT id, name, type, data FROM ${this.tables.messages} WHERE chatId = ? AND id IN ${given}`;
    return this.#all(statement, [chatId, JSON.stringify(ids)]);
  }

  async branches(chatId: string): Promise<OriginalBranch[]> {
    const statement = `SELECT * FROM ${this.tables.branches} WHERE chatId = ? ORDER BY createdAt, rowid`;
    const rows = this.#all<OriginalBranch>(statement, [chatId]);
    return rows.map((row) => ({ ...row, isActive: Boolean(row.isActive) }));
  }

  async checkpoints(chatId: string): Promise<OriginalCheckpoint[]> {
    const statement = `SELECT * FROM ${this.tables.checkpoints} WHERE chatId = ? ORDER BY createdAt, rowid`;
    return this.#all(statement, [chatId]);
  }

  async close(): Promise<void> {
    this.db.close();
  }

  #all<Row>(statement: string, values: readonly (string | number)[]): Row[] {
    return guarded(this.path, () => this.db.prepare<unknown[], Row>(statement).all(...values));
  }
}

/** The first versions have no owners, and SQLite accepts any type in any column. */
function toChat<Row extends { userId?: string; title: string | number | Buffer | null }>(
  row: Row,
): Row & { userId: string; title: string | null } {
  return { ...row, userId: row.userId ?? LOCAL_ADMIN.userId, title: row.title === null ? null : String(row.title) };
}

function isLess(one: string, other: string): boolean {
  return /^-?\d+$/.test(other) && BigInt(one) < BigInt(other);
}

function guarded<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    throw new UnreadableError(`The database ${path} cannot be read: ${error.message}`);
  }
}
