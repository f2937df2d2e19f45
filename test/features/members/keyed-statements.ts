import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { deleteMember } from '../../../src/features/members/members.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export const keyedStatements = ({ differences }: Dialect): Record<string, Sql[]> => ({
  deleteMember: [deleteMember(differences, 'c', 'u')],
});
