/** The statements that copy a chat's rows into its fork, for tests of their plans. */
import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';

export type ForkStatement = Extract<keyof Dialect, `fork${string}`> | 'insertFork';

export function forkStatements(dialect: Dialect): Record<ForkStatement, Sql[]> {
  const ranges = [{ firstSeq: 1, lastSeq: 9 }];
  const path = { chatId: 'c', fromChatId: 'o', idPrefix: 'p', isWhole: false, ranges };
  const steps = [path, { ...path, isWhole: true }];
  return {
    forkedHead: [dialect.forkedHead('o', null), dialect.forkedHead('o', 'm')],
    forkedRuns: [dialect.forkedRuns('o', 9, 9)],
    forkedSizes: [dialect.forkedSizes(path)],
    forkMessages: steps.map(dialect.forkMessages),
    forkRuns: [dialect.forkRuns(path)],
    forkedSources: steps.map(dialect.forkedSources),
    forkRows: steps.map((step) => dialect.forkRows('message_files', step)),
    forkTexts: steps.map(dialect.forkTexts),
    insertFork: [dialect.insertFork({ chatId: 'c', fromChatId: 'o', fromMessageId: null })],
    forkOf: [dialect.forkOf('c')],
    forksOf: [dialect.forksOf(['c'])],
  };
}
