/** The versions of messages. Unsaved messages are the newest versions. */
import type { Message, SiblingInfo } from '../message.js';
import type { MessageTree } from './message-tree.js';
import { isSame } from './same.js';

export class Versions {
  readonly #infos = new Map<string, SiblingInfo>();

  /** @param unsaved messages that are being sent, then drafts, oldest first */
  constructor(
    private readonly tree: MessageTree,
    private readonly unsaved: () => readonly Message[],
  ) {}

  /** The same object until a change; null for a message that was not read. */
  infoOf(messageId: string): SiblingInfo | null {
    const { tree } = this;
    const others = this.unsaved().filter(({ id }) => !tree.byId.has(id));
    const message = tree.byId.get(messageId) ?? others.find(({ id }) => id === messageId);
    if (!message) return null;
    const { parentId } = message;
    const unsaved = others.filter((other) => other.parentId === parentId);
    const { count, ids } = tree.versionsUnder(parentId);
    const index = tree.indexOf(messageId) ?? count + unsaved.indexOf(message);
    const saved = tree.childrenMap.get(parentId) ?? [];
    const idAt = (n: number) => (n < count ? ids[n] : unsaved[n - count]?.id) ?? null;
    const siblings = unsaved.length === 0 ? saved : [...saved, ...unsaved];
    const before = this.#infos.get(messageId);
    const info: SiblingInfo = {
      siblings: before && isSame(before.siblings, siblings) ? before.siblings : siblings,
      siblingIndex: index,
      siblingCount: count + unsaved.length,
      // The siblings of a message that was read are known.
      previousId: idAt(index - 1) ?? (index === count ? (saved.at(-1)?.id ?? null) : null),
      nextId: idAt(index + 1),
    };
    if (before && isSame(before, info)) return before;
    this.#infos.set(messageId, info);
    return info;
  }
}
