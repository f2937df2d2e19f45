import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { shareStatements } from '../../../src/features/shares/share-records.js';
import { rowOf } from '../../support/database/row-of.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = shareStatements(differences);
  return {
    insertShare: [sql.insertShare(rowOf('shares'))],
    sharesOf: [sql.sharesOf(['c', 'd'])],
    shareById: [sql.shareById('s')],
    shareByHash: [sql.shareByHash('h')],
    deleteShare: [sql.deleteShare({ chatId: 'c', id: 's' })],
  };
}

/** The statements that touch several partitions, with the reason. */
export const ACROSS_CHATS = {
  sharesOf: 'is called here with several chats',
  shareById: 'finds the chat of an id that a client gives',
  shareByHash: 'finds the chat of a token that a client gives',
};
