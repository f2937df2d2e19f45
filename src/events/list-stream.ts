import type { Following } from './following.js';
import type { ListChange, ListChanges } from './list-changes.js';
import { Stream, type StreamItem } from './subscribable.js';

/** The changes of a list of chats after a number, then new ones as they come. Delivers the newest change of each chat. */
export class ListStream extends Stream<ListChange, ListChanges> {
  /** @param chatId the only chat whose changes are delivered; null for all of the list */
  constructor(
    source: ListChanges,
    following: Following,
    release: () => void,
    private readonly chatId: string | null,
  ) {
    super(source, following, release);
  }

  protected take(): StreamItem<ListChange> | undefined {
    const { source: changes, following } = this;
    let change = changes.next(following.position);
    while (change !== null && this.chatId !== null && change.chatId !== this.chatId)
      change = changes.next(change.number);
    if (change !== null) return { value: change, place: { position: change.number } };
    following.position = changes.position;
    return undefined;
  }
}
