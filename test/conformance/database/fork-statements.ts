/** The statements of forks in the dialect of SQL Server, with arguments. */
import { awkward, dialect, ids, lists } from './statement-arguments.js';

const steps = lists({ firstSeq: 1, lastSeq: 9 }, { firstSeq: 12, lastSeq: 12 }).flatMap((ranges) =>
  [true, false].map((isWhole) => ({ chatId: awkward, fromChatId: awkward, idPrefix: awkward, isWhole, ranges })),
);

export const forkStatements = {
  forkedHead: [dialect.forkedHead('c', null), dialect.forkedHead('c', awkward)],
  forkedRuns: [dialect.forkedRuns(awkward, 9, 100_001)],
  forkedSizes: steps.map(dialect.forkedSizes),
  forkMessages: steps.map(dialect.forkMessages),
  forkRuns: steps.map(dialect.forkRuns),
  forkedSources: steps.map(dialect.forkedSources),
  forkFiles: steps.map(dialect.forkFiles),
  forkTexts: steps.map(dialect.forkTexts),
  insertFork: [
    dialect.insertFork({ chatId: awkward, fromChatId: awkward, fromMessageId: awkward }),
    dialect.insertFork({ chatId: 'c', fromChatId: null, fromMessageId: null }),
  ],
  forkOf: [dialect.forkOf(awkward)],
  forksOf: ids.map(dialect.forksOf),
};
