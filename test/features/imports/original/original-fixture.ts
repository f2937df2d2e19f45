/** Databases of `@deepagents/context`: the tables of its store without indexes, and sample chats. */

const TABLES = (json: string, flag: string, time: string) => `
  CREATE TABLE chats (id TEXT PRIMARY KEY, userId TEXT NOT NULL, title TEXT, metadata ${json},
    createdAt ${time} NOT NULL, updatedAt ${time} NOT NULL);
  CREATE TABLE messages (id TEXT PRIMARY KEY, chatId TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    parentId TEXT REFERENCES messages(id), name TEXT NOT NULL, type TEXT, data ${json} NOT NULL, createdAt ${time} NOT NULL);
  CREATE TABLE branches (id TEXT PRIMARY KEY, chatId TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, name TEXT NOT NULL,
    headMessageId TEXT REFERENCES messages(id), isActive ${flag} NOT NULL, createdAt ${time} NOT NULL, UNIQUE(chatId, name));
  CREATE TABLE checkpoints (id TEXT PRIMARY KEY, chatId TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE, name TEXT NOT NULL,
    messageId TEXT NOT NULL REFERENCES messages(id), createdAt ${time} NOT NULL, UNIQUE(chatId, name));`;

export const SQLITE_TABLES = TABLES('TEXT', 'INTEGER', 'INTEGER');
export const POSTGRESQL_TABLES = TABLES('JSONB', 'BOOLEAN', 'BIGINT');

const PRISMA_MODELS: Readonly<Record<string, string>> = {
  ...{ chats: 'Chat', messages: 'Message', branches: 'Branch', checkpoints: 'Checkpoint' },
};

/** A statement for tables that Prisma created from the schema in the library's documentation: it quotes every name. */
export function ofPrisma(statement: string): string {
  const tables = statement.replace(/\b(chats|messages|branches|checkpoints)\b/g, (name) => `"${PRISMA_MODELS[name]}"`);
  return tables.replace(/\b[a-z]+[A-Z]\w*\b/g, '"$&"');
}

/** A time, some seconds after the first. */
export const T = (seconds: number) => Date.UTC(2026, 0, 31, 12) + 1000 * seconds;

export interface Content {
  chats: [
    id: string,
    userId: string,
    title: string | null,
    metadata: string | null,
    createdAt: number,
    updatedAt: number,
  ][];
  messages: [
    id: string,
    chatId: string,
    parentId: string | null,
    name: string,
    type: string | null,
    data: string,
    createdAt: number,
  ][];
  branches: [
    id: string,
    chatId: string,
    name: string,
    headMessageId: string | null,
    isActive: boolean,
    createdAt: number,
  ][];
  checkpoints: [id: string, chatId: string, name: string, messageId: string, createdAt: number][];
}

export function messageJson(id: string, role: string, text: string): string {
  return JSON.stringify({ id, role, parts: [{ type: 'text', text }] });
}

/** A chat with a rewind and a checkpoint, and an empty chat of another user. */
export const TRIPS: Content = {
  chats: [
    ['trip', 'ada', 'Trips', '{"tags": ["far"], "n": 1}', T(0), T(9)],
    ['empty', 'bob', null, null, T(1), T(1)],
  ],
  messages: [
    ['q1', 'trip', null, 'user', 'message', messageJson('q1', 'user', 'Where to?'), T(1)],
    ['a1', 'trip', 'q1', 'assistant', 'message', messageJson('a1', 'assistant', 'To Rome.'), T(2)],
    ['q2', 'trip', 'a1', 'user', null, messageJson('q2', 'user', 'And then?'), T(3)],
    ['a2', 'trip', 'q2', 'assistant', 'message', messageJson('a2', 'assistant', 'Home.'), T(3)],
    ['a3', 'trip', 'q1', 'assistant', 'message', messageJson('a3', 'assistant', 'To Oslo.'), T(5)],
  ],
  branches: [
    ['main-of-trip', 'trip', 'main', 'a2', false, T(0)],
    ['v2-of-trip', 'trip', 'main-v2', 'a3', true, T(5)],
    ['main-of-empty', 'empty', 'main', null, true, T(1)],
  ],
  checkpoints: [['rome', 'trip', 'Rome', 'a1', T(2)]],
};

/** Statements and their values, with `?` for each. */
export function* insertions(content: Partial<Content>): Generator<{ text: string; values: unknown[] }> {
  for (const table of ['chats', 'messages', 'branches', 'checkpoints'] as const) {
    for (const row of content[table] ?? []) {
      yield { text: `INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`, values: [...row] };
    }
  }
}
