/**
 * SQL Server 2016 and newer, in T-SQL that Babelfish understands as well.
 *
 * - A recursive part may hold no TOP, DISTINCT, aggregate or outer join, and is joined by UNION ALL alone: where others
 *   walk from many messages at once, and go on as one where they meet, this reads more of the chat without a walk.
 * - 100 steps are all that a walk takes, unless MAXRECURSION says that there is no limit.
 * - Lists are JSON (sqlserver-lists.ts). Rows come out as rows, since its JSON has no arrays of values.
 * - Columns are named one by one, in brackets: what `*` stands for loses its capitals on Babelfish.
 * - Trailing spaces do not count in a comparison. Ids and names have none; where other text is compared, a full stop is
 *   put behind it.
 */
import sql, { empty, raw } from 'sql-template-tag';
import { checkStatements } from '../check-statements.js';
import { commonStatements } from '../common-statements.js';
import type { Dialect } from '../dialect.js';
import { draftStatements } from '../draft-statements.js';
import { branchStatements } from './branches.js';
import { changeStatements } from './changes.js';
import { chatStatements } from './chats.js';
import { failure } from './failure.js';
import { ids } from './lists.js';
import { logStatements } from './log.js';
import { messageStatements } from './messages.js';
import { searchStatements } from './search.js';
import { tablesOf } from './tables.js';

/**
 * @param schema of letters, digits and _
 * @param options.hasFullTextIndex whether there is one that can be asked: see full-text.ts
 */
export function sqlserver(schema: string, { hasFullTextIndex }: { hasFullTextIndex: boolean }): Dialect {
  const tables = tablesOf(schema);
  return {
    failure,
    ...commonStatements(tables.named, (count, behind) => sql`OFFSET ${behind} ROWS FETCH NEXT ${count} ROWS ONLY`),
    ...checkStatements(tables.named, (count) => sql`OFFSET 0 ROWS FETCH NEXT ${count} ROWS ONLY`),
    ...draftStatements({
      table: tables.named,
      first: (count) => sql`OFFSET 0 ROWS FETCH NEXT ${count} ROWS ONLY`,
      lock: { table: raw('WITH (UPDLOCK, ROWLOCK)'), statement: empty },
      isOneOf: (column, values) => sql`${column} IN (SELECT k.[id] FROM ${ids(values)})`,
      bytes: (column) => sql`DATALENGTH(${column})`,
    }),
    ...changeStatements(tables),
    ...chatStatements(tables),
    ...messageStatements(tables),
    ...branchStatements(tables),
    ...logStatements(tables),
    ...searchStatements(tables, hasFullTextIndex),

    // Servers in containers may all have one name, but hardly made a database of one number in the same millisecond.
    identity: () => sql`
    SELECT CONCAT(@@SERVERNAME, N' ', d.[database_id], N' ', CONVERT(NVARCHAR(30), d.[create_date], 126), N' ',
      SCHEMA_ID(${schema})) AS [identity]
    FROM sys.databases d WHERE d.[name] = DB_NAME()`,
  };
}
