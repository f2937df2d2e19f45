/** Legal holds, and the retention of users. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { LegalHold } from '../../conversation/policies/legal-hold.js';
import type { ConversationReads } from '../../conversation/reads.js';
import { positionedPage } from './positioned-page.js';
import type { Reader } from './reader.js';

type PolicyReads = Pick<ConversationReads, 'legalHolds' | 'holdPage' | 'ownRetentionDays'>;

export function policyReads({ sql, rows }: Reader): PolicyReads {
  return {
    async legalHolds(keys) {
      const chatIds = keys.flatMap(({ chatId }) => chatId ?? []);
      const holds = await rows<LegalHold>(sql.holds(chatIds, [...new Set(keys.map(({ userId }) => userId))]));
      const found = new Map(holds.map((hold) => [`${hold.scope} ${hold.targetId}`, hold]));
      const ofChat = (chatId: string | null) => (chatId === null ? undefined : found.get(`CHAT ${chatId}`));
      return keys.map(({ chatId, userId }) => ofChat(chatId) ?? found.get(`USER ${userId}`) ?? null);
    },

    holdPage: (page) =>
      positionedPage(page, {
        read: (range, from, limit) => rows<LegalHold>(sql.holdPage(range, from, Math.min(limit, MAX_INT))),
        isAnythingAt: async (range) => (await rows(sql.holdPage(range, 'first', 1))).length > 0,
        positionOf: ({ scope, targetId }) => ({ scope, targetId }),
      }),

    async ownRetentionDays(userId) {
      const [row] = await rows<{ days: number }>(sql.retentionOf(userId));
      return row?.days ?? null;
    },
  };
}
