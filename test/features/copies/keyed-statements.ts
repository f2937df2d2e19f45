import type { Sql } from 'sql-template-tag';
import { tablesWith } from '../../../src/conversation/table-rules.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { copyStatements } from '../../../src/features/copies/statements.js';

const COUNTED = [...tablesWith({ removal: 'seq' }), 'message_texts'] as const;

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = copyStatements(differences);
  return {
    copiedRows: tablesWith({ copy: 'rows' }).map((table) => sql.copiedRows(table, 'c')),
    firstMessageFile: [sql.firstMessageFile('c')],
    messageFilesOf: [sql.messageFilesOf({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
    countRows: COUNTED.map((table) => sql.countRows(table, 'c')),
  };
}

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = copyStatements(differences);
  return {
    chatsAfter: ['', 'c'].map((id) => sql.chatsAfter(id, 100)),
    countChats: [sql.countChats()],
    countOpen: [sql.countOpen('drafts')],
    countParts: [sql.countParts('drafts')],
    countRowsOfAll: COUNTED.map((table) => sql.countRows(table)),
  };
}
