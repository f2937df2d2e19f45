import type { ConversationReads } from '../../conversation/reads.js';
import type { Reader } from './reader.js';
import { byKey, toShare, type Keyed, type ShareRow } from './rows.js';

export function shareReads({ sql, rows }: Reader): Pick<ConversationReads, 'shares' | 'shareByHash'> {
  return {
    async shares(chatIds) {
      const found = await rows<Keyed & ShareRow>(sql.sharesOf(chatIds));
      return byKey(found, chatIds, toShare).map((list) => list.sort((one, other) => other.createdAt - one.createdAt));
    },

    async shareByHash(tokenHash) {
      const [row] = await rows<ShareRow & { depth: number }>(sql.shareByHash(tokenHash));
      return row === undefined ? null : { ...toShare(row), depth: row.depth };
    },
  };
}
