/** The path to the message at the end of what is shown, as far up as it was seen: kept up with from end to end. */
import type { Message } from './message.js';

export class VisibleThread {
  #shown: readonly Message[] = [];
  readonly #indexes = new Map<string, number>();

  get shown(): readonly Message[] {
    return this.#shown;
  }

  /**
   * The thread to another end, or with more above it. The same list when nothing has changed; its messages are the same.
   * It costs what is not shown yet, and a copy of the list.
   */
  moveTo(endId: string | null, find: (id: string) => Message | undefined): readonly Message[] {
    const below: Message[] = [];
    let message = endId === null ? undefined : find(endId);
    let kept = -1;
    while (message) {
      const index = this.#indexes.get(message.id);
      // The object of a message above one that is not saved changes when it is saved.
      if (index !== undefined && this.#shown[index] === message && message.seq < Infinity) {
        kept = index;
        break;
      }
      below.push(message);
      message = message.parentId === null ? undefined : find(message.parentId);
    }
    below.reverse();
    const above = kept < 0 ? [] : this.#above(find);
    const first = kept + 1;
    if (above.length > 0) return this.#replace([...above, ...this.#shown.slice(0, first), ...below]);
    const old = this.#shown.slice(first);
    if (old.length === below.length && old.every((shown, n) => shown === below[n])) return this.#shown;
    for (const { id } of old) this.#indexes.delete(id);
    this.#shown = this.#shown.slice(0, first).concat(below);
    below.forEach(({ id }, n) => this.#indexes.set(id, first + n));
    return this.#shown;
  }

  /** What was seen above the first message since. */
  #above(find: (id: string) => Message | undefined): Message[] {
    const above: Message[] = [];
    for (let first: Message | undefined = this.#shown[0]; first?.parentId != null;) {
      first = find(first.parentId);
      if (first) above.push(first);
    }
    return above.reverse();
  }

  #replace(thread: Message[]): readonly Message[] {
    this.#indexes.clear();
    thread.forEach(({ id }, index) => this.#indexes.set(id, index));
    return (this.#shown = thread);
  }
}
