import { draftState } from '../draft.js';
import { TooSlowError } from '../../../conversation/errors.js';
import type { Following } from '../../../events/following.js';
import { Stream, type StreamItem } from '../../../events/subscribable.js';
import type { ChatDrafts, DraftNotice } from './chat-drafts.js';

/** The open drafts of a chat, then the starts and ends of drafts. Ends when the chat is deleted. */
export class DraftNotices extends Stream<DraftNotice, ChatDrafts> {
  readonly #first: DraftNotice[];

  /**
   * @param following its position is the number of a notice
   * @param now milliseconds since 1970
   */
  constructor(drafts: ChatDrafts, following: Following, now: number, release: () => void) {
    super(drafts, following, release);
    const { startAt } = following;
    following.position = startAt ?? drafts.position;
    this.#first = (startAt === null ? drafts.drafts : []).map((draft) => ({
      chatId: draft.chatId,
      number: drafts.position,
      draftId: draft.id,
      state: draftState(draft, now) === 'ABANDONED' ? 'ABANDONED' : 'STARTED',
      isThere: true,
      messageId: null,
    }));
  }

  override next(): Promise<IteratorResult<DraftNotice, undefined>> {
    const first = this.#first.shift();
    return first === undefined ? super.next() : Promise.resolve({ done: false, value: first });
  }

  override return(): Promise<IteratorResult<DraftNotice, undefined>> {
    this.#first.length = 0;
    return super.return();
  }

  protected take(): StreamItem<DraftNotice> | undefined | null {
    const { source: drafts, following } = this;
    if (following.position < drafts.position) {
      const notice = drafts.noticeAfter(following.position);
      if (notice === undefined) {
        throw new TooSlowError('Too many drafts have begun and ended since the last delivered one: subscribe again');
      }
      return { value: notice, place: { position: notice.number } };
    }
    following.isOver = drafts.isOver;
    return drafts.isOver ? null : undefined;
  }
}
