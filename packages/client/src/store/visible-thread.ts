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
    let kept: number | undefined;
    while (message !== undefined) {
      const index = this.#indexes.get(message.id);
      if (index !== undefined && this.#shown[index] === message) {
        kept = index;
        break;
      }
      below.push(message);
      message = message.parentId === null ? undefined : find(message.parentId);
    }
    if (kept === undefined) return this.#replace(below.reverse());
    const above = this.#above(find);
    if (above.length > 0) return this.#replace([...above, ...this.#shown.slice(0, kept + 1), ...below.reverse()]);
    if (below.length === 0 && kept === this.#shown.length - 1) return this.#shown;
    for (const { id } of this.#shown.slice(kept + 1)) this.#indexes.delete(id);
    below.reverse();
    this.#shown = this.#shown.slice(0, kept + 1).concat(below);
    below.forEach(({ id }, n) => this.#indexes.set(id, kept + 1 + n));
    return this.#shown;
  }

  /** What was seen above the first message since. */
  #above(find: (id: string) => Message | undefined): Message[] {
    const above: Message[] = [];
    for (let first: Message | undefined = this.#shown[0]; first?.parentId != null;) {
      first = find(first.parentId);
      if (first !== undefined) above.push(first);
    }
    return above.reverse();
  }

  #replace(thread: Message[]): readonly Message[] {
    this.#indexes.clear();
    thread.forEach(({ id }, index) => this.#indexes.set(id, index));
    return (this.#shown = thread);
  }
}
