import type { ListChange, ListChanges } from './list-changes.js';
import { Stream, type Step } from './subscribable.js';

/** The changes of a list of chats after a number, then new ones as they come. Delivers the newest change of each chat. */
export class ListStream extends Stream<ListChange, ListChanges> {
  protected take(): Step<ListChange> | undefined {
    const { source: changes, following } = this;
    const change = changes.next(following.position);
    if (change !== null) return { value: change, place: { position: change.number } };
    following.position = changes.position;
    return undefined;
  }
}
