/** All messages of a chat that were read, with their children in order. */
import type { PlacedFragment } from '../generated/operations.js';
import type { ChildrenMap } from '../tree/tree.js';
import { messageOf, type Message } from '../message.js';

/** All versions under one parent. The id at an index is known once a neighbour was read. */
interface Versions {
  count: number;
  ids: (string | undefined)[];
}

export class MessageTree {
  readonly byId = new Map<string, Message>();
  /** Always the same map; the list of a parent is replaced when a child is added. */
  readonly childrenMap: ChildrenMap<Message> = new Map();
  readonly #indexes = new Map<string, number>();
  readonly #versions = new Map<string | null, Versions>();
  /** The ids of messages with children, read or not. */
  readonly #parents = new Set<string>();
  readonly #past = new Map<string, Message>();
  #all: readonly Message[] | undefined;

  /** In the order of `seq`. */
  get allMessages(): readonly Message[] {
    return (this.#all ??= [...this.byId.values()].sort((a, b) => a.seq - b.seq));
  }

  /** Applies messages from the server. For known messages, only the links to their neighbours are updated. */
  add(all: readonly PlacedFragment[]): void {
    const added: Message[] = [];
    /** New lists that no caller has received yet. */
    const fresh = new Set<Message[]>();
    for (const placed of all) {
      this.#place(placed);
      if (this.byId.has(placed.id)) continue;
      const message = this.#past.get(placed.id) ?? messageOf(placed);
      this.byId.set(message.id, message);
      this.#insert(message, fresh);
      added.push(message);
    }
    if (added.length === 0 || this.#all === undefined) return;
    const last = this.#all.at(-1)?.seq ?? 0;
    const isInOrder = added.every(({ seq }, n) => seq > (added[n - 1]?.seq ?? last));
    this.#all = isInOrder ? this.#all.concat(added) : undefined;
  }

  /** The leaf of the newest thread through a message; undefined when only the server knows it. */
  latestLeafOf(messageId: string): string | undefined {
    let id = messageId;
    for (let steps = 0; steps <= this.byId.size; steps++) {
      if (!this.byId.has(id)) return undefined;
      const versions = this.#versions.get(id);
      if (!versions) return this.#parents.has(id) ? undefined : id;
      const newest = versions.ids[versions.count - 1];
      if (newest === undefined) return undefined;
      id = newest;
    }
    return undefined;
  }

  /** Whether one message equals another or is its ancestor. O(messages between them). */
  isAbove(aboveId: string, messageId: string): boolean {
    const above = this.byId.get(aboveId);
    let message = this.byId.get(messageId);
    while (message && above && message.depth > above.depth) {
      message = message.parentId === null ? undefined : this.byId.get(message.parentId);
    }
    return message !== undefined && message === above;
  }

  /** All versions under a parent: their number, and the known ids. */
  versionsUnder(parentId: string | null): Readonly<Versions> {
    return this.#versions.get(parentId) ?? { count: 0, ids: [] };
  }

  /** The index of a message among its versions; undefined for a message that was not read. */
  indexOf(messageId: string): number | undefined {
    return this.byId.has(messageId) ? this.#indexes.get(messageId) : undefined;
  }

  /**
   * Forgets which messages have children and how many siblings: this may be outdated. Messages that are read again
   * stay the same objects.
   */
  forget(): void {
    for (const [id, message] of this.byId) this.#past.set(id, message);
    this.#parents.clear();
    this.#versions.clear();
    this.#indexes.clear();
    this.byId.clear();
    this.childrenMap.clear();
    this.#all = undefined;
  }

  /** Records the index of a message among its siblings. */
  #place(placed: PlacedFragment): void {
    const { id, parentId, siblingIndex, siblingCount, previousSibling, nextSibling, hasChildren } = placed;
    if (hasChildren) this.#parents.add(id);
    if (parentId !== null) this.#parents.add(parentId);
    this.#indexes.set(id, siblingIndex);
    let versions = this.#versions.get(parentId);
    if (!versions) this.#versions.set(parentId, (versions = { count: 0, ids: [] }));
    versions.count = Math.max(versions.count, siblingCount);
    const known = [previousSibling?.id, id, nextSibling?.id];
    for (const [n, versionId] of known.entries()) {
      if (versionId !== undefined) versions.ids[siblingIndex - 1 + n] = versionId;
    }
  }

  /** Inserts a message in the order of saving. */
  #insert(message: Message, fresh: Set<Message[]>): void {
    let siblings = this.childrenMap.get(message.parentId) ?? [];
    if (!fresh.has(siblings)) {
      siblings = [...siblings];
      fresh.add(siblings);
      this.childrenMap.set(message.parentId, siblings);
    }
    let end = siblings.length;
    while (end > 0 && (siblings[end - 1]?.seq ?? 0) > message.seq) end--;
    siblings.splice(end, 0, message);
  }
}
