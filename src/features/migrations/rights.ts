/**
 * The minimal privileges of a server: messages and events are inserted and deleted with their chat, never updated, except
 * for the digests of messages.
 * docs/databases.md describes them.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { rightsOf, tableNames } from '../../conversation/table-rules.js';
import { DIGEST_COLUMNS } from '../../conversation/tables.js';
import type { Connection } from '../../database/connection/connection.js';
import type { DatabaseUrl, ServerUrl } from '../../database/connection/database-url.js';
import { schemaForms } from '../../database/connection/schema-form.js';
import type { Migrator } from '../../database/opening/migrator.js';

type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'USAGE';

interface Right {
  readonly on: 'SCHEMA' | 'TABLE' | 'SEQUENCE';
  /** The only column; all by default. */
  readonly column?: string;
  /** Empty for the schema. */
  readonly name: string;
  readonly privileges: readonly Privilege[];
}

const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
const PRIVILEGES = { select: ['SELECT'], insert: ['SELECT', 'INSERT', 'DELETE'], update: ALL } as const;

export const TABLE_RIGHTS: readonly Right[] = [
  { on: 'TABLE', name: '_prisma_migrations', privileges: ['SELECT'] },
  ...tableNames.map((name): Right => ({ on: 'TABLE', name, privileges: PRIVILEGES[rightsOf(name)] })),
];

const COLUMN_RIGHTS: readonly Right[] = DIGEST_COLUMNS.map((column) => {
  return { on: 'TABLE', name: 'messages', column, privileges: ['UPDATE'] };
});

/** SQL Server needs no privilege on schemas or sequences. */
const POSTGRESQL_RIGHTS: readonly Right[] = [
  { on: 'SCHEMA', name: '', privileges: ['USAGE'] },
  ...TABLE_RIGHTS,
  ...COLUMN_RIGHTS,
  { on: 'SEQUENCE', name: 'message_texts_id_seq', privileges: ['USAGE'] },
];

/** Only `npm run backup` needs it, so that servers with the rights of an older version start: pg_dump reads the sequence. */
const BACKUP_RIGHTS: readonly Right[] = [{ on: 'SEQUENCE', name: 'message_texts_id_seq', privileges: ['SELECT'] }];

/** On the tables of forms of PostgreSQL schemas. */
const rightsOfForms = (): Right[] =>
  schemaForms().flatMap(({ tables }) => tables.map((name): Right => ({ on: 'TABLE', name, privileges: ALL })));

const rightsOn = ({ provider }: ServerUrl) =>
  provider === 'postgresql' ? POSTGRESQL_RIGHTS : [...TABLE_RIGHTS, ...COLUMN_RIGHTS];

/**
 * The statements that grant privileges to a role, or to a SQL Server user.
 * @param rights all by default
 */
export function grantStatements(url: ServerUrl, role: string, rights: readonly Right[] = rightsOn(url)): string[] {
  const quoted = (name: string) =>
    url.provider === 'postgresql' ? `"${name.replaceAll('"', '""')}"` : `[${name.replaceAll(']', ']]')}]`;
  const schema = quoted(url.schema);
  return rights.map(({ on, name, column, privileges }) => {
    const object = {
      SCHEMA: `SCHEMA ${schema}`,
      TABLE: `${schema}.${quoted(name)}`,
      SEQUENCE: `SEQUENCE ${schema}.${quoted(name)}`,
    };
    const columns = column === undefined ? '' : ` (${quoted(column)})`;
    return `GRANT ${privileges.join(', ')}${columns} ON ${object[on]} TO ${quoted(role)}`;
  });
}

/** Rows { name }: those of some tables that exist. */
const existing = (tables: readonly Right[]): Sql => sql`
  SELECT name FROM unnest(${tables.map(({ name }) => name)}::text[]) k(name) WHERE to_regclass(name) IS NOT NULL`;

/** Grants a server's privileges to a role, all or nothing. */
export async function grantRights(url: ServerUrl, connection: Connection, role: string): Promise<void> {
  await connection.write('rights', async (tx) => {
    const ofForms = rightsOfForms();
    const found = url.provider === 'postgresql' ? await tx.rows<{ name: string }>(existing(ofForms)) : [];
    const ofForm = ofForms.filter(({ name }) => found.some((table) => table.name === name));
    // The connection may be older than the form.
    if (ofForm.length > 0) for (const { settings } of schemaForms()) await tx.run(raw(settings));
    const rights = [...rightsOn(url), ...ofForm, ...(url.provider === 'postgresql' ? BACKUP_RIGHTS : [])];
    for (const statement of grantStatements(url, role, rights)) await tx.run(raw(statement));
  });
}

/** See Migrator. */
export async function missingGrants(url: DatabaseUrl, { read }: Pick<Connection, 'read'>): Promise<string[]> {
  if (url.provider === 'sqlite') return [];
  // Tables that are missing need no grant.
  const rights = url.provider === 'postgresql' ? [...rightsOn(url), ...rightsOfForms()] : rightsOn(url);
  const wanted = rights.flatMap(({ on, name, column = '', privileges }) =>
    privileges.map((privilege) => sql`(${on}, ${name}, ${column}, ${privilege})`),
  );
  const values = join(wanted);
  const rows = await read((db) =>
    db.rows<{ role: string; name: string; column: string; privilege: string }>(
      url.provider === 'postgresql' ? deniedOnPostgresql(values, url.schema) : deniedOnSqlServer(values, url.schema),
    ),
  );
  const denied = new Set(rows.map(({ name, column, privilege }) => `${name} ${column} ${privilege}`));
  const missing = rights
    .map((right) => ({
      ...right,
      privileges: right.privileges.filter((privilege) =>
        denied.has(`${right.name} ${right.column ?? ''} ${privilege}`),
      ),
    }))
    .filter(({ privileges }) => privileges.length > 0);
  return grantStatements(url, rows[0]?.role ?? '', missing);
}

export const checkRights: Migrator['checkRights'] = async (url, connection) => {
  const missing = await missingGrants(url, connection);
  if (missing.length === 0) return;
  throw new Error(
    `the role of the server lacks rights; run as the owner of the tables \`npm run migrate -- --grant-to ROLE\`, or ${missing.join('; ')}`,
  );
};

/** The catalog also lists objects that the role may not use. Before its migration a column is missing. */
function deniedOnPostgresql(values: Sql, schema: string): Sql {
  return sql`
    SELECT current_user AS role, w.name, w."column", w.privilege
    FROM (VALUES ${values}) w("on", name, "column", privilege)
    JOIN pg_namespace n ON n.nspname = ${schema}
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w."column"
    WHERE NOT CASE WHEN w."column" <> '' THEN a.attnum IS NULL OR has_column_privilege(c.oid, a.attnum, w.privilege) ELSE CASE w."on"
      WHEN 'SCHEMA' THEN has_schema_privilege(n.oid, w.privilege)
      WHEN 'SEQUENCE' THEN c.oid IS NULL OR has_sequence_privilege(c.oid, w.privilege)
      ELSE c.oid IS NULL OR has_table_privilege(c.oid, w.privilege)
    END END`;
}

/** Tables without any privilege are not visible there. Before the first migration there are none. */
function deniedOnSqlServer(values: Sql, schema: string): Sql {
  const object = sql`CONCAT(QUOTENAME(${schema}), N'.', QUOTENAME(w.[name]))`;
  return sql`
    SELECT USER_NAME() AS [role], w.[name] AS [name], w.[column] AS [column], w.[privilege] AS [privilege]
    FROM (VALUES ${values}) w([on], [name], [column], [privilege])
    WHERE EXISTS (SELECT 1 FROM sys.tables t WHERE t.[name] = N'_prisma_migrations' AND SCHEMA_NAME(t.[schema_id]) = ${schema})
      AND CASE
        WHEN w.[column] = N'' THEN COALESCE(HAS_PERMS_BY_NAME(${object}, N'OBJECT', w.[privilege]), 0)
        WHEN COL_LENGTH(${object}, w.[column]) IS NULL THEN 1
        ELSE COALESCE(HAS_PERMS_BY_NAME(${object}, N'OBJECT', w.[privilege], w.[column], N'COLUMN'), 0)
      END = 0`;
}
