import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { forkStatements } from '../../../src/features/forks/statements.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = forkStatements(differences);
  const ranges = [{ firstSeq: 1, lastSeq: 9 }];
  const path = { chatId: 'c', fromChatId: 'o', idPrefix: 'p', isWhole: false, ranges };
  const steps = [path, { ...path, isWhole: true }];
  return {
    forkedHead: [sql.forkedHead('o', null), sql.forkedHead('o', 'm')],
    forkedRuns: [sql.forkedRuns('o', 9, 9)],
    forkedSizes: [sql.forkedSizes(path)],
    forkMessages: steps.map(sql.forkMessages),
    forkRuns: [sql.forkRuns(path)],
    forkedSources: steps.map(sql.forkedSources),
    forkRows: steps.map((step) => sql.forkRows('message_files', step)),
    forkTexts: steps.map(sql.forkTexts),
    forksOf: [sql.forksOf(['c'])],
  };
}
