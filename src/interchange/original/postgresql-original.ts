/**
 * A PostgreSQL database of `@deepagents/context`. Its columns have lower-case names: its statements do not quote them.
 */
import pg from 'pg';
import { UnreadableError } from '@parley/interchange/server';
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
    await guarded(async () => {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const statement = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1';
      const { rows } = await client.query<{ name: string }>(statement, [schema]);
      const fault = notOriginal(new Set(rows.map(({ name }) => name)));
      if (fault !== null) throw new UnreadableError(`The schema ${JSON.stringify(schema)} of the database ${fault}`);
      // Only this schema: missing tables must not be found in another one.
      await client.query("SELECT set_config('search_path', $1, true)", [client.escapeIdentifier(schema)]);
    });
    return new PostgresqlOriginal(client);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function parts(url: string): { address: string; schema: string } {
  if (!URL.canParse(url)) throw new UnreadableError('--from is no URL of a database');
  const address = new URL(url);
  if (!/^postgres(ql)?:$/.test(address.protocol)) {
    throw new UnreadableError('--from must be a URL that begins with postgresql://; a SQLite file is a FILE');
  }
  const schema = address.searchParams.get('schema') ?? 'public';
  address.searchParams.delete('schema');
  return { address: address.href, schema };
}

class PostgresqlOriginal implements OriginalDatabase {
  constructor(private readonly client: pg.Client) {}

  async chatCount(): Promise<number> {
    const [row] = await this.#all<{ total: string }>('SELECT count(*) AS total FROM chats', []);
    return Number(row?.total ?? 0);
  }

  async *chats(): AsyncGenerator<OriginalChat[]> {
    const statement = `SELECT id, userid AS "userId", title, metadata::text AS metadata, createdat AS "createdAt", updatedat AS "updatedAt"
      FROM chats WHERE id > $1 ORDER BY id LIMIT $2`;
    for (let last: string | undefined = ''; last !== undefined;) {
      const rows: OriginalChat[] = await this.#all<OriginalChat>(statement, [last, CHATS_PER_STEP]);
      const chats: OriginalChat[] = rows.map((row) => ({ ...withTime(row), updatedAt: Number(row.updatedAt) }));
      if (chats.length > 0) yield chats;
      last = chats.at(-1)?.id;
    }
  }

  async nodes(chatId: string): Promise<OriginalNode[]> {
    const statement = `SELECT id, parentid AS "parentId", createdat AS "createdAt" FROM messages WHERE chatid = $1 ORDER BY createdat, id`;
    return (await this.#all<OriginalNode>(statement, [chatId])).map(withTime);
  }

  async contents(chatId: string, ids: readonly string[]): Promise<OriginalContent[]> {
    const statement = 'SELECT id, name, type, data::text AS data FROM messages WHERE chatid = $1 AND id = ANY($2)';
    return this.#all(statement, [chatId, ids]);
  }

  async branches(chatId: string): Promise<OriginalBranch[]> {
    const statement = `SELECT id, name, headmessageid AS "headMessageId", isactive AS "isActive", createdat AS "createdAt"
      FROM branches WHERE chatid = $1 ORDER BY createdat, id`;
    return (await this.#all<OriginalBranch>(statement, [chatId])).map(withTime);
  }

  async checkpoints(chatId: string): Promise<OriginalCheckpoint[]> {
    const statement = `SELECT id, name, messageid AS "messageId", createdat AS "createdAt"
      FROM checkpoints WHERE chatid = $1 ORDER BY createdat, id`;
    return (await this.#all<OriginalCheckpoint>(statement, [chatId])).map(withTime);
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
