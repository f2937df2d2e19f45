/**
 * A PostgreSQL database of `@deepagents/context`. The library does not quote its names, which are then in lower case; Prisma
 * does.
 */
import pg from 'pg';
import { UnreadableError } from '@parley/interchange/server';
import {
  OF_PRISMA,
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
const TIMEOUT_MS = 10_000;

/**
 * @param url `postgresql://…`; its parameter `schema` names the schema of the tables, `public` by default
 * @throws UnreadableError when it cannot be reached, or is another kind of database. The message has no password.
 */
export async function openPostgresqlOriginal(url: string): Promise<OriginalDatabase> {
  const { address, schema } = parts(url);
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: TIMEOUT_MS });
  // A broken connection fails the pending statement.
  client.on('error', () => {});
  try {
    const tables = await guarded(async () => {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const statement = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1';
      const { rows } = await client.query<{ name: string }>(statement, [schema]);
      const what = `The schema ${JSON.stringify(schema)} of the database`;
      const names = originalTables(what, new Set(rows.map(({ name }) => name)));
      // Only this schema: missing tables must not be found in another one.
      await client.query("SELECT set_config('search_path', $1, true)", [client.escapeIdentifier(schema)]);
      return names;
    });
    return new PostgresqlOriginal(client, tables);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function parts(url: string): { address: string; schema: string } {
  if (!URL.canParse(url)) throw new UnreadableError('--from is no URL of a database');
  const address = new URL(url);
  if (!/^postgres(ql)?:$/.test(address.protocol)) {
    throw new UnreadableError(
      '--from must be a URL that begins with postgresql://; a SQLite file is a FILE, and tables of SQL Server must be copied into one of the two',
    );
  }
  const schema = address.searchParams.get('schema') ?? 'public';
  address.searchParams.delete('schema');
  return { address: address.href, schema };
}

class PostgresqlOriginal implements OriginalDatabase {
  /** Returns the name of a table or column for a statement. */
  readonly #name: (name: string) => string;

  constructor(
    private readonly client: pg.Client,
    private readonly tables: OriginalTables,
  ) {
    this.#name = tables === OF_PRISMA ? (name) => client.escapeIdentifier(name) : (name) => name;
  }

  async chatCount(): Promise<number> {
    const [row] = await this.#all<{ total: string }>(`SELECT count(*) AS total FROM ${this.#from('chats')}`, []);
    return Number(row?.total ?? 0);
  }

  async *chats(): AsyncGenerator<OriginalChat[]> {
    const columns = this.#columns('id', 'userId', 'title', 'createdAt', 'updatedAt');
    const statement = `SELECT ${columns}, metadata::text AS metadata
      FROM ${this.#from('chats')} WHERE id > $1 ORDER BY id LIMIT $2`;
    for (let last: string | undefined = ''; last !== undefined;) {
      const rows: OriginalChat[] = await this.#all<OriginalChat>(statement, [last, CHATS_PER_STEP]);
      const chats: OriginalChat[] = rows.map((row) => ({ ...withTime(row), updatedAt: Number(row.updatedAt) }));
      if (chats.length > 0) yield chats;
      last = chats.at(-1)?.id;
    }
  }

  nodes(chatId: string): Promise<OriginalNode[]> {
    return this.#ofChat('messages', ['id', 'parentId', 'createdAt'], chatId);
  }

  async contents(chatId: string, ids: readonly string[]): Promise<OriginalContent[]> {
    const statement = `SELECT id, name, type, data::text AS data FROM ${this.#from('messages')}
      WHERE ${this.#name('chatId')} = $1 AND id = ANY($2)`;
    return this.#all(statement, [chatId, ids]);
  }

  branches(chatId: string): Promise<OriginalBranch[]> {
    return this.#ofChat('branches', ['id', 'name', 'headMessageId', 'isActive', 'createdAt'], chatId);
  }

  checkpoints(chatId: string): Promise<OriginalCheckpoint[]> {
    return this.#ofChat('checkpoints', ['id', 'name', 'messageId', 'createdAt'], chatId);
  }

  /** Oldest first. */
  async #ofChat<Row extends { createdAt: number }>(
    table: keyof OriginalTables,
    columns: readonly (keyof Row & string)[],
    chatId: string,
  ): Promise<Row[]> {
    const statement = `SELECT ${this.#columns(...columns)} FROM ${this.#from(table)}
      WHERE ${this.#name('chatId')} = $1 ORDER BY ${this.#name('createdAt')}, id`;
    return (await this.#all<Row>(statement, [chatId])).map(withTime);
  }

  #from(table: keyof OriginalTables): string {
    return this.#name(this.tables[table]);
  }

  #columns(...names: readonly string[]): string {
    return names.map((name) => `${this.#name(name)} AS "${name}"`).join(', ');
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => {});
  }

  #all<Row extends object>(statement: string, values: readonly unknown[]): Promise<Row[]> {
    return guarded(async () => (await this.client.query<Row>(statement, [...values])).rows);
  }
}

/** The driver returns large numbers as text. */
function withTime<Row extends { createdAt: number }>(row: Row): Row {
  return { ...row, createdAt: Number(row.createdAt) };
}

async function guarded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new UnreadableError(`The database to read from cannot be read: ${message || (code ?? 'no answer')}`);
  }
}
