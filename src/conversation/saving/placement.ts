/** Where new messages stand in the graph: depth, seq, siblingIndex and jump, worked out before they are written. */
import { messagePreview, messageText } from '../text/message-text.js';
import type { ChatChange } from '../change.js';
import { jumpOfChild, type SavedNode } from './jumps.js';
import type { Message, PlacedMessage } from '../model.js';
import type { LockedChat } from '../store.js';

/** A place in the graph under which a message can be put; null stands for the place of a root. */
export type Place = Pick<Message, 'id' | 'depth'> | null;

/** What the graph says of a message, and not the message itself. */
export type Position = Pick<
  PlacedMessage,
  'id' | 'chatId' | 'parentId' | 'depth' | 'seq' | 'siblingIndex' | 'createdBy' | 'jumpId' | 'parentSeq'
>;

export class Placement {
  readonly #placed = new Map<string, PlacedMessage>();
  /** What is known of the ancestors of new messages, saved ones and placed ones. */
  readonly #nodes = new Map<string, SavedNode>();
  readonly #childCounts = new Map<string | null, number>();
  #lastSeq: number | null = null;

  constructor(
    private readonly locked: LockedChat,
    private readonly change: ChatChange,
  ) {}

  /** A message placed earlier with this id. */
  placed(id: string): PlacedMessage | undefined {
    return this.#placed.get(id);
  }

  /**
   * The message that comes to stand under `parent`, which is saved or placed already.
   * @param createdAt the time of the change by default
   */
  async place(
    parent: Place,
    values: Pick<Message, 'id' | 'name' | 'type' | 'data'> & { createdAt?: number },
  ): Promise<PlacedMessage> {
    const text = messageText(JSON.parse(values.data));
    return this.placeAs(parent, values.id, (position) => {
      return { createdAt: this.change.now, ...values, ...position, text, preview: messagePreview(text) };
    });
  }

  /** The same of a message that is made for its place. */
  async placeAs<Placed extends PlacedMessage>(
    parent: Place,
    id: string,
    make: (position: Position) => Placed,
  ): Promise<Placed> {
    this.#lastSeq = (this.#lastSeq ?? (await this.locked.messageCount())) + 1;
    const above = parent === null ? null : await this.#nodeOf(parent.id);
    const message = make({
      id,
      chatId: this.locked.chat.id,
      parentId: parent?.id ?? null,
      depth: parent === null ? 0 : parent.depth + 1,
      seq: this.#lastSeq,
      siblingIndex: await this.#nextSiblingIndex(parent?.id ?? null),
      createdBy: this.change.actorId,
      jumpId: above === null ? id : jumpOfChild(above, (of) => this.#node(of)),
      parentSeq: above?.seq ?? null,
    });
    this.#placed.set(id, message);
    this.#nodes.set(id, message);
    return message;
  }

  async #nextSiblingIndex(parentId: string | null): Promise<number> {
    const isNewParent = parentId !== null && this.#placed.has(parentId);
    const count = this.#childCounts.get(parentId) ?? (isNewParent ? 0 : await this.locked.childCount(parentId));
    this.#childCounts.set(parentId, count + 1);
    return count;
  }

  /** With all of its ladder beside it. */
  async #nodeOf(id: string): Promise<SavedNode> {
    if (!this.#nodes.has(id)) for (const node of await this.locked.ladder(id)) this.#nodes.set(node.id, node);
    return this.#node(id);
  }

  #node(id: string): SavedNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error(`message "${id}" is missing from the ladder of its descendant`);
    return node;
  }
}
