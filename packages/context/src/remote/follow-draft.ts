import { ContextError } from '../errors.js';
import { Attempts } from '../retrying.js';
import type { DraftUpdate } from '../store/draft-data.js';
import type { Follow } from './graphql-client.js';
import { FOLLOW_DRAFT } from './operations.js';
import { toDraftUpdate, type DraftUpdateRow } from './rows.js';

export interface DraftPlace {
  chatId: string;
  id: string;
  after: number;
  withChunks: boolean;
}

/**
 * A draft as it grows, over as many connections as it takes: each goes on where the one before it has got to.
 * @param signal ends it
 */
export async function* followDraft(
  follow: Follow,
  { chatId, id, after, withChunks }: DraftPlace,
  signal: AbortSignal,
): AsyncGenerator<DraftUpdate, void> {
  const attempts = new Attempts(signal);
  let length = after;
  let isFollowed = false;
  // Each connection is told anew how things stand.
  const told = new Set<string>();
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      const variables = { chatId, id, after: length, withChunks };
      for await (const row of follow<DraftUpdateRow>('draft', FOLLOW_DRAFT, variables, signal)) {
        attempts.succeeded();
        isFollowed = true;
        const update = toDraftUpdate(row, chatId);
        if (update.type === 'chunks') length = update.length;
        if (update.type === 'stopping' || update.type === 'abandoned') {
          const what = `${update.type} ${update.type === 'abandoned' ? update.length : ''}`;
          if (told.has(what)) continue;
          told.add(what);
        }
        yield update;
        if (update.type === 'finished' || update.type === 'discarded') return;
      }
      throw new ContextError('UNAVAILABLE', 'The server has ended its answer');
    } catch (error) {
      if (isOver()) return;
      if (isFollowed && error instanceof ContextError && error.code === 'NOT_FOUND') {
        yield { type: 'discarded' };
        return;
      }
      await attempts.failed(error);
    }
  }
}
