/**
 * SQLite. CROSS JOIN pins the order of the joins: the short list first, then the index. `->>` takes JSON text apart.
 * Parameters are plain `?`: numbered ones fail through the adapter. The plus of `+m."chatId"` keeps the lookup of an id on the
 * primary key: the index of both is wider, and slower.
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
import { list } from './fragments.js';
import { logStatements } from './log.js';
import { messageStatements } from './messages.js';
import { searchStatements } from './search.js';

const table = (name: string) => raw(`"${name}"`);

export const sqlite: Dialect = {
  ...changeStatements,
  ...chatStatements,
  ...messageStatements,
  ...branchStatements,
  ...logStatements,
  ...searchStatements,

  failure,
  ...commonStatements(table, (count, behind) => sql`LIMIT ${count} OFFSET ${behind}`),
  ...checkStatements(table, (count) => sql`LIMIT ${count}`),
  // Its transactions have the whole file.
  ...draftStatements({
    table,
    first: (count) => sql`LIMIT ${count}`,
    lock: { table: empty, statement: empty },
    isOneOf: (column, values) => sql`${column} IN (SELECT value FROM ${list(values)})`,
    bytes: (column) => sql`octet_length(${column})`,
  }),
  // Links apart: those are for the file system to tell.
  identity: () => sql`SELECT file AS identity FROM pragma_database_list WHERE name = 'main'`,
};
