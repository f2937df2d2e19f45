import { ContextError } from '../errors.js';
import { retrying } from '../retrying.js';
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
 * Follows a draft over successive connections: each continues after the chunks of the previous one.
 * @param signal ends it
 */
export async function* followDraft(
  follow: Follow,
  { chatId, id, after, withChunks }: DraftPlace,
  signal: AbortSignal,
): AsyncGenerator<DraftUpdate, void> {
  let length = after;
  let isFollowed = false;
  // Each connection repeats the state of the draft.
  const seen = new Set<string>();
  let rows: AsyncGenerator<DraftUpdateRow, void> | undefined;
  const next = async () => {
    try {
      rows ??= follow<DraftUpdateRow>('draft', FOLLOW_DRAFT, { chatId, id, after: length, withChunks }, signal);
      const { done, value } = await rows.next();
      if (done !== true) return value;
    } catch (error) {
      rows = undefined;
      throw error;
    }
    rows = undefined;
    throw new ContextError('UNAVAILABLE', 'The server has ended its answer');
  };
  try {
    for (;;) {
      const update = toDraftUpdate(await retrying(next, signal), chatId);
      isFollowed = true;
      if (update.type === 'chunks') length = update.length;
      if (update.type === 'stopping' || update.type === 'abandoned') {
        const state = `${update.type} ${update.type === 'abandoned' ? update.length : ''}`;
        if (seen.has(state)) continue;
        seen.add(state);
      }
      yield update;
      if (update.type === 'finished' || update.type === 'discarded') return;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!isFollowed || !(error instanceof ContextError) || error.code !== 'NOT_FOUND') throw error;
    yield { type: 'discarded' };
  } finally {
    await rows?.return();
  }
}
