/** A SQLite file of `@deepagents/context`. It is read, and never written to. */
import Database from 'better-sqlite3';
import { LOCAL_ADMIN } from '../../conversation/ownership.js';
import { UnreadableError } from '../files/unreadable.js';
import {
  notOriginal,
  type OriginalBranch,
  type OriginalChat,
  type OriginalCheckpoint,
  type OriginalContent,
  type OriginalDatabase,
  type OriginalNode,
} from './original-database.js';

const CHATS_PER_STEP = 100;

/** @throws UnreadableError when it is damaged, or a database of something else */
export function openSqliteOriginal(path: string): OriginalDatabase {
  const db = guarded(path, () => new Database(path, { readonly: true, fileMustExist: true }));
  try {
    guarded(path, () => {
      // What stands in a schema that others have written is not run.
      db.pragma('trusted_schema = OFF');
      db.exec('BEGIN');
      const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      const fault = notOriginal(new Set(tables.map(({ name }) => name)));
      if (fault !== null) throw new UnreadableError(`${path} ${fault}`);
    });
    return new SqliteOriginal(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteOriginal implements OriginalDatabase {
  constructor(
    private readonly db: Database.Database,
    private readonly path: string,
  ) {}

  async chatCount(): Promise<number> {
    const [row] = this.#all<{ total: number }>('SELECT count(*) AS total FROM chats', []);
    return row?.total ?? 0;
  }

  async *chats(): AsyncGenerator<OriginalChat[]> {
    type Row = Omit<OriginalChat, 'userId'> & { userId?: string; place: number };
    const statement = 'SELECT rowid AS place, * FROM chats WHERE rowid > ? ORDER BY rowid LIMIT ?';
    for (let last: number | undefined = Number.MIN_SAFE_INTEGER; last !== undefined;) {
      const rows: Row[] = this.#all<Row>(statement, [last, CHATS_PER_STEP]);
      // Its first versions knew no owners.
      if (rows.length > 0) yield rows.map((row) => ({ ...row, userId: row.userId ?? LOCAL_ADMIN.userId }));
      last = rows.at(-1)?.place;
    }
  }

  async nodes(chatId: string): Promise<OriginalNode[]> {
    return this.#all('SELECT id, parentId, createdAt FROM messages WHERE chatId = ? ORDER BY rowid', [chatId]);
  }

  async contents(chatId: string, ids: readonly string[]): Promise<OriginalContent[]> {
    const given = '(SELECT value FROM json_each(?))';
    const statement = `SELECT id, name, type, data FROM messages WHERE chatId = ? AND id IN ${given}`;
    return this.#all(statement, [chatId, JSON.stringify(ids)]);
  }

  async branches(chatId: string): Promise<OriginalBranch[]> {
    const statement = 'SELECT * FROM branches WHERE chatId = ? ORDER BY createdAt, rowid';
    const rows = this.#all<OriginalBranch>(statement, [chatId]);
    return rows.map((row) => ({ ...row, isActive: Boolean(row.isActive) }));
  }

  async checkpoints(chatId: string): Promise<OriginalCheckpoint[]> {
    return this.#all('SELECT * FROM checkpoints WHERE chatId = ? ORDER BY createdAt, rowid', [chatId]);
  }

  async close(): Promise<void> {
    this.db.close();
  }

  #all<Row>(statement: string, values: readonly (string | number)[]): Row[] {
    return guarded(this.path, () => this.db.prepare<unknown[], Row>(statement).all(...values));
  }
}

function guarded<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new UnreadableError(`The database ${path} cannot be read: ${error.message}`);
  }
}
