/** Reads the chunks of a draft as it grows. */
import { codeOf } from '@parley/transport/errors';
import type { Parley } from '../connection/create-parley.js';
import { DraftGrowth } from '../generated/operations.js';

export interface DraftReading {
  chatId: string;
  id: string;
  /**
   * Called with each batch of chunks, in order.
   * @returns whether reading can end
   */
  next(chunks: readonly unknown[]): boolean;
  /** Ends reading. */
  signal: AbortSignal;
}

/** The reason for the end of reading. */
export type DraftReadingEnd = 'enough' | 'finished' | 'discarded' | 'abandoned' | 'aborted';

/** @throws ParleyError when the draft cannot be followed */
export function readDraft(parley: Parley, { chatId, id, next, signal }: DraftReading) {
  return new Promise<DraftReadingEnd>((resolve, reject) => {
    let stop = () => {};
    const end = (reason: DraftReadingEnd) => {
      signal.removeEventListener('abort', leave);
      resolve(reason);
      stop();
    };
    const leave = () => end('aborted');
    signal.addEventListener('abort', leave);
    stop = parley.follow(
      DraftGrowth,
      { chatId, id },
      {
        next: ({ draft }) => {
          if (draft.__typename === 'DraftFinished') end('finished');
          else if (draft.__typename === 'DraftDiscarded') end('discarded');
          else if (draft.__typename === 'DraftAbandoned') end('abandoned');
          else if (draft.__typename === 'DraftChunks' && next(draft.chunks)) end('enough');
        },
        ended: (error) => {
          if (error === null || codeOf(error) === 'NOT_FOUND') return end('discarded');
          reject(error);
          end('discarded');
        },
      },
    );
  });
}
