/**
 * PostgreSQL. Lists of keys are arrays. A walk looks each next message up in a LATERAL subquery with OFFSET 0, which
 * keeps the planner from joining it with the whole table: it takes a recursive part for far larger than it is.
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
import { logStatements } from './log.js';
import { messageStatements } from './messages.js';
import { searchStatements } from './search.js';

const table = (name: string) => raw(`"${name}"`);

export const postgresql: Dialect = {
  ...changeStatements,
  ...chatStatements,
  ...messageStatements,
  ...branchStatements,
  ...logStatements,
  ...searchStatements,

  failure,
  ...commonStatements(table, (count, behind) => sql`LIMIT ${count} OFFSET ${behind}`),
  ...checkStatements(table, (count) => sql`LIMIT ${count}`),
  ...draftStatements({
    table,
    first: (count) => sql`LIMIT ${count}`,
    lock: { table: empty, statement: raw('FOR NO KEY UPDATE') },
    isOneOf: (column, values) => sql`${column} = ANY (${values}::text[])`,
    bytes: (column) => sql`octet_length(${column})`,
  }),
  // What anybody may ask, of a server that has not been started twice in a microsecond.
  identity: () => sql`
    SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), d.oid, current_schema()) AS identity
    FROM pg_database d WHERE d.datname = current_database()`,
};
