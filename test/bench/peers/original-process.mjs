/** Runs the original on copies of Parley's rows, and measures its tasks. */
import { DatabaseSync } from 'node:sqlite';
import { assistantText, ContextEngine, PostgresContextStore, SqliteContextStore, user } from '@deepagents/context';
import pg from 'pg';
import { serveLibrary } from './library-process.mjs';

serveLibrary({ ContextEngine, user, assistantText }, ({ from, file, url, schema }) =>
  file === undefined ? openPostgresql(from, url, schema) : openSqlite(from, file),
);

/** Writes the rows of addMessage in one statement, because addMessage scans all earlier messages. */
function openSqlite(from, file) {
  const database = new DatabaseSync(file);
  const store = new SqliteContextStore(database);
  database.exec(`
    ATTACH '${from}' AS parley;
    BEGIN;
    INSERT INTO chats (id, userId, title) SELECT id, userId, title FROM parley.chats;
    INSERT INTO messages (id, chatId, parentId, name, type, data, createdAt)
      SELECT id, chatId, parentId, name, type, data, createdAt FROM parley.messages ORDER BY chatId, seq;
    INSERT INTO branches (id, chatId, name, headMessageId, isActive, createdAt)
      SELECT id, chatId, name, headMessageId, isActive, createdAt FROM parley.branches;
    INSERT INTO messages_fts (messageId, chatId, name, content) SELECT id, chatId, name, data FROM messages;
    COMMIT;
    DETACH parley;`);
  return store;
}

async function openPostgresql(from, url, schema) {
  const store = new PostgresContextStore({ pool: url, schema });
  await store.initialize();
  const source = new DatabaseSync(from, { readOnly: true });
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`SET search_path TO "${schema}"`);
  /** A thousand rows at a time, as a JSON array that becomes rows again. */
  const copy = async (rows, insert) => {
    for (let n = 0; n < rows.length; n += 1_000) await client.query(insert, [JSON.stringify(rows.slice(n, n + 1_000))]);
  };
  await copy(
    source.prepare('SELECT id, userId AS "user", title FROM chats').all(),
    `INSERT INTO chats (id, userId, title) SELECT * FROM json_to_recordset($1) AS r(id text, "user" text, title text)`,
  );
  const messages = source
    .prepare(
      'SELECT id, chatId AS chat, parentId AS parent, name, type, data, createdAt AS at FROM messages ORDER BY chatId, seq',
    )
    .all();
  await copy(
    messages,
    `INSERT INTO messages (id, chatId, parentId, name, type, data, createdAt)
      SELECT id, chat, parent, name, type, data::jsonb, at FROM json_to_recordset($1)
        AS r(id text, chat text, parent text, name text, type text, data text, at bigint)`,
  );
  await copy(
    messages,
    `INSERT INTO messages_fts (messageId, chatId, name, content)
      SELECT * FROM json_to_recordset($1) AS r(id text, chat text, name text, data text)`,
  );
  await copy(
    source
      .prepare(
        'SELECT id, chatId AS chat, name, headMessageId AS head, isActive AS active, createdAt AS at FROM branches',
      )
      .all(),
    `INSERT INTO branches (id, chatId, name, headMessageId, isActive, createdAt)
      SELECT id, chat, name, head, active = 1, at
      FROM json_to_recordset($1) AS r(id text, chat text, name text, head text, active int, at bigint)`,
  );
  // The whole database: the planner needs statistics of all tables from the start.
  await client.query('ANALYZE');
  await client.end();
  source.close();
  return store;
}
