/**
 * The form of a PostgreSQL schema in which each chat is in one partition or shard. It differs from the form of the
 * migrations in its keys alone, which are computed from the catalogue: unique keys contain the chat.
 */
import type pg from 'pg';
import { tablesWith } from '../../conversation/table-rules.js';
import { IdDirectory } from './id-directory.js';
import { UserChatTable } from './user-chats.js';

/** The tables of this form alone, with the column that distributes them. */
export const TABLES_OF_FORM = [
  { name: 'id_directory', column: 'id', statements: IdDirectory.TABLE },
  { name: 'user_chats', column: 'userId', statements: UserChatTable.TABLE },
] as const;

interface ForeignKey {
  name: string;
  table: string;
  columns: string[];
  target: string;
  targetColumns: string[];
  /** Such as `ON DELETE CASCADE`. */
  rules: string;
}

interface UniqueKey {
  name: string;
  table: string;
  columns: string[];
  isPrimary: boolean;
  /** The condition of a partial index. */
  condition: string | null;
}

/** The names of columns by number, in order. */
const namesOf = (numbers: string, table: string): string => `
  (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(${numbers}::int2[]) WITH ORDINALITY AS k("number", place)
   JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k."number")`;

const FOREIGN_KEYS = `
  SELECT c.conname AS "name", t.relname AS "table", ${namesOf('c.conkey', 't.oid')} AS "columns",
    f.relname AS "target", ${namesOf('c.confkey', 'f.oid')} AS "targetColumns",
    regexp_replace(pg_get_constraintdef(c.oid), '^.* REFERENCES [^)]*\\)|ON UPDATE CASCADE', '', 'g') AS "rules"
  FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid
  WHERE c.contype = 'f' AND c.conparentid = 0 AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) ORDER BY 1`;

const UNIQUE_KEYS = `
  SELECT i.relname AS "name", t.relname AS "table", ${namesOf('x.indkey', 't.oid')} AS "columns",
    x.indisprimary AS "isPrimary", pg_get_expr(x.indpred, t.oid) AS "condition"
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  WHERE x.indisunique AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) ORDER BY 1`;

const SERIALS = `
  SELECT c.table_name AS "table", c.column_name AS "column", substring(c.column_default from '''(.*)''') AS "sequence"
  FROM information_schema.columns c WHERE c.table_schema = $1 AND c.column_default LIKE 'nextval(%'`;

const TRIGGERS = `
  SELECT g.tgname AS "name", t.relname AS "table" FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
  WHERE NOT g.tgisinternal AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`;

/** Those that exist: others are added by later migrations. */
const TABLES_OF_CHATS = `
  SELECT table_name AS "name" FROM information_schema.columns
  WHERE table_schema = $1 AND column_name = 'chatId' AND table_name = ANY ($2) ORDER BY 1`;

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/**
 * Reads the catalogue of a migrated schema, which is the search path of the client.
 * @param done tables that are in the form already: the result contains the others
 */
export async function distributedForm(client: pg.ClientBase, schema: string, done: ReadonlySet<string> = new Set()) {
  const all = async <Row>(text: string, ...more: unknown[]) =>
    (await client.query(text, [schema, ...more])).rows as Row[];
  const read = async <Row extends { table: string }>(text: string) =>
    (await all<Row>(text)).filter(({ table }) => !done.has(table));
  const foreignKeys = await all<ForeignKey>(FOREIGN_KEYS);
  const chatOf = new Map<string, 'id' | 'chatId'>([['chats', 'id']]);
  const ofChats = await all<{ name: string }>(TABLES_OF_CHATS, tablesWith({ rowsOf: 'chat' }));
  for (const { name } of ofChats) chatOf.set(name, 'chatId');
  /** The columns of a key, with the chat. */
  const withChat = (table: string, columns: readonly string[]): readonly string[] => {
    const chat = chatOf.get(table);
    return chat === undefined || columns.includes(chat) ? columns : [...columns, chat];
  };
  const newForeignKeys = foreignKeys.filter(({ table }) => !done.has(table));
  const keys = [
    ...newForeignKeys
      .filter(({ table, target }) => chatOf.has(table) || chatOf.has(target))
      .map(({ table, name }) => `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`),
    ...(await read<{ name: string; table: string }>(TRIGGERS))
      .filter(({ table }) => chatOf.has(table))
      .map(({ name, table }) => `DROP TRIGGER "${name}" ON "${table}"`),
    ...(await read<UniqueKey>(UNIQUE_KEYS)).flatMap((key) => {
      const columns = withChat(key.table, key.columns);
      return columns === key.columns ? [] : uniqueKey({ ...key, columns: [...columns] });
    }),
    ...(await read<{ table: string; column: string; sequence: string }>(SERIALS))
      .filter(({ table }) => chatOf.has(table))
      .flatMap(({ table, column, sequence }) => [
        `ALTER TABLE "${table}" ALTER "${column}" DROP DEFAULT, ALTER "${column}" TYPE BIGINT`,
        `DROP SEQUENCE ${sequence}`,
        `ALTER TABLE "${table}" ALTER "${column}" ADD GENERATED BY DEFAULT AS IDENTITY`,
      ]),
  ];
  const references = newForeignKeys
    .filter(({ table }) => chatOf.has(table))
    .map(({ name, table, columns, target, targetColumns, rules }) => {
      const [from, to] = chatOf.has(target)
        ? [withChat(table, columns), withChat(target, targetColumns)]
        : [columns, targetColumns];
      return `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" FOREIGN KEY (${quoted(from)}) REFERENCES "${target}" (${quoted(to)}) ${rules}`;
    });
  return {
    /** `chats` first, with the column of its id. All other tables are shared by all chats. */
    tables: [...chatOf].map(([name, chat]) => ({ name, chat })).filter(({ name }) => !done.has(name)),
    /** Statements that change the keys of the empty tables, and drop their foreign keys and triggers. */
    keys,
    /** Statements that add the foreign keys, after the distribution of the tables. */
    references,
  };
}

/** Replaces a key. The chat is its last column, so that the index also finds rows by the other columns alone. */
function uniqueKey({ name, table, columns, isPrimary, condition }: UniqueKey): string[] {
  if (isPrimary)
    return [
      `ALTER TABLE "${table}" DROP CONSTRAINT "${name}", ADD CONSTRAINT "${name}" PRIMARY KEY (${quoted(columns)})`,
    ];
  const where = condition === null ? '' : ` WHERE ${condition}`;
  return [`DROP INDEX "${name}"`, `CREATE UNIQUE INDEX "${name}" ON "${table}" (${quoted(columns)})${where}`];
}
