/** Forks: copies of a path or a graph into a new chat, and their recorded origins. */
import { byKey, type Keyed } from '../../database/reading/rows.js';
import type { Feature } from '../../feature.js';
import './graphql.js';
import { forkStatements, type ForkRow } from './statements.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The recorded origins of forks; null for other chats. */
    forks(chatIds: readonly string[]): Promise<(ForkRow | null)[]>;
  }
}

export const forks: Feature = {
  open: ({ sql: { differences } }) => {
    const sql = forkStatements(differences);
    return {
      reads: ({ rows }) => ({
        forks: async (chatIds) => {
          const found = await rows<Keyed & ForkRow>(sql.forksOf(chatIds), chatIds.length);
          const forks = byKey(found, chatIds, ({ fromChatId, fromMessageId }) => ({ fromChatId, fromMessageId }));
          return forks.map(([fork]) => fork ?? null);
        },
      }),
    };
  },
};
