/** The path to the end of the shown thread, as far up as it was read. Updated incrementally. */
import type { Message } from '../message.js';
import { isSame } from './same.js';

export class VisibleThread {
  #shown: readonly Message[] = [];
  readonly #indexes = new Map<string, number>();

  get shown(): readonly Message[] {
    return this.#shown;
  }

  /**
   * Moves the thread to another end, or extends it upwards. Returns the same list when nothing has changed. The cost
   * is that of new messages and a copy of the list.
   */
  moveTo(endId: string | null, find: (id: string) => Message | undefined): readonly Message[] {
    const below: Message[] = [];
    let message = endId === null ? undefined : find(endId);
    let kept = -1;
    while (message) {
      const index = this.#indexes.get(message.id);
      // The ancestor of an unsaved message becomes another object when it is saved.
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
    if (isSame(old, below)) return this.#shown;
    for (const { id } of old) this.#indexes.delete(id);
    this.#shown = this.#shown.slice(0, first).concat(below);
    below.forEach(({ id }, n) => this.#indexes.set(id, first + n));
    return this.#shown;
  }

  /** Messages above the first one that were read since. */
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
