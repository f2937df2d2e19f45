/** The statements of runs and sources in the dialect of SQL Server, with arguments. */
import { awkward, dialect, ids, INLINE, lists, seqs } from './statement-arguments.js';

const key = { chatId: 'c', seq: 1 };
const keys = lists(key, { chatId: awkward, seq: 2 });

export const graphStatements = {
  insertRuns: lists({ chatId: 'c', seq: 3, parentSeq: 1 }, { chatId: awkward, seq: 2, parentSeq: null }).map(
    dialect.insertRuns,
  ),
  insertSources: lists(
    { chatId: 'c', seq: 3, position: 0, sourceSeq: 1 },
    { chatId: awkward, seq: 2, position: 15, sourceSeq: 1 },
  ).map(dialect.insertSources),
  placesById: ids.map(dialect.placesById),
  insertSourceHashes: lists(
    { chatId: 'c', seq: 3, position: 0, hash: awkward },
    { chatId: awkward, seq: 2, position: 15, hash: 'h' },
  ).map(dialect.insertSourceHashes),
  sourceHashesOf: keys.map(dialect.sourceHashesOf),
  sourceHashesInRange: [dialect.sourceHashesInRange({ chatId: awkward, firstSeq: 1, lastSeq: 9 })],
  sourcesOf: keys.map(dialect.sourcesOf),
  sourcesInRange: [dialect.sourcesInRange({ chatId: awkward, firstSeq: 1, lastSeq: 9 })],
  sourcesInRanges: seqs.map(dialect.sourcesInRanges),
  sourcesOfChats: ids.map(dialect.sourcesOfChats),
  drawnOnBounds: keys.flatMap((some) => [dialect.drawnOnBounds(some, null, null), dialect.drawnOnBounds(some, 1, 9)]),
  drawingOn: keys.flatMap((some) =>
    (['ASC', 'DESC'] as const).map((order) =>
      dialect.drawingOn(
        some.map((each) => ({ ...each, above: 0, below: 9 })),
        order,
        9,
        INLINE,
      ),
    ),
  ),
};
