import { draftState } from '../../conversation/drafts/draft.js';
import { TooSlowError } from '../../conversation/errors.js';
import type { Following } from '../log-stream.js';
import type { ChatDrafts, DraftNotice } from './chat-drafts.js';

/**
 * The drafts of a chat that are under way, one after the other, and then how they begin and end. Ends when the chat is gone.
 *
 * Not a generator: return() of one that waits would wait, too.
 */
export class DraftNotices implements AsyncIterableIterator<DraftNotice> {
  readonly #first: DraftNotice[];
  #isDone = false;
  #stopWaiting: (() => void) | null = null;

  /**
   * @param following where it is: the number of a notice
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly drafts: ChatDrafts,
    private readonly following: Following,
    now: number,
    private readonly release: () => void,
  ) {
    if (following.startAt !== null) {
      following.position = following.startAt;
      this.#first = [];
      return;
    }
    following.position = drafts.position;
    this.#first = drafts.drafts.map((draft) => ({
      chatId: draft.chatId,
      number: drafts.position,
      draftId: draft.id,
      state: draftState(draft, now) === 'ABANDONED' ? 'ABANDONED' : 'STARTED',
      isThere: true,
      messageId: null,
    }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<DraftNotice, undefined>> {
    const { drafts, following } = this;
    while (!this.#isDone) {
      const first = this.#first.shift();
      if (first !== undefined) return { done: false, value: first };
      if (this.#isFarEnough()) break;
      if (drafts.loss !== null) {
        await this.return();
        throw drafts.loss;
      }
      if (following.position < drafts.position) {
        const notice = drafts.noticeBehind(following.position);
        if (notice === undefined) {
          await this.return();
          throw new TooSlowError(
            'Too many drafts have begun and ended since the last that was told: follow them again',
          );
        }
        following.position = notice.number;
        return { done: false, value: notice };
      }
      if (drafts.isOver) {
        following.isOver = true;
        break;
      }
      await this.#news();
    }
    return this.return();
  }

  return(): Promise<IteratorResult<DraftNotice, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#stopWaiting?.();
      this.release();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #isFarEnough(): boolean {
    const { until, position } = this.following;
    return until !== undefined && position >= (until()?.position ?? this.drafts.position);
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.drafts.onNews(resolve);
      this.#stopWaiting = () => {
        forget();
        resolve();
      };
    });
  }
}
