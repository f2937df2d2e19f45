/** Computes the depth, seq, siblingIndex, jump and digest of new messages before they are written. */
import { messagePreview, shownText } from '../text/message-text.js';
import type { ChatChange } from '../change.js';
import type { SavedValues } from './content.js';
import { jumpOfChild, type SavedNode } from './jumps.js';
import { digestOf, type StoredDigest } from './message-digest.js';
import type { Message, ParentPlace, PlacedMessage, SourceMessage } from '../model.js';
import type { LockedChat } from '../store.js';
import { UNSET_MESSAGE_COLUMNS } from '../tables.js';

/** A message without the values that come from its content. Nullable columns are null unless the content sets them. */
export type Position = Omit<PlacedMessage, 'name' | 'type' | 'createdAt' | 'data' | 'text' | 'preview'>;

/** Nullable columns are null by default. */
type PlacedValues = Omit<SavedValues, keyof typeof UNSET_MESSAGE_COLUMNS> &
  Partial<SavedValues> &
  Pick<Message, 'id' | 'data'> & { createdAt?: number };

type StoredNode = SavedNode & StoredDigest;

export class Placement {
  readonly #placed = new Map<string, PlacedMessage>();
  /** Known ancestors of new messages, both saved and placed. */
  readonly #nodes = new Map<string, SavedNode>();
  readonly #childCounts = new Map<string | null, number>();
  #lastSeq: number | null = null;

  constructor(
    private readonly locked: Pick<LockedChat, 'chat' | 'messageCount' | 'childCount' | 'ladder' | 'yieldIfDue'>,
    private readonly change: ChatChange,
  ) {}

  placed(id: string): PlacedMessage | undefined {
    return this.#placed.get(id);
  }

  /**
   * Places a message under `parent`, which is saved or already placed.
   * @param createdAt the time of the change by default
   * @param sources saved or already placed
   */
  async place(
    parent: ParentPlace,
    values: PlacedValues,
    sources: readonly SourceMessage[] = [],
  ): Promise<PlacedMessage> {
    const data: unknown = JSON.parse(values.data);
    const text = shownText(data);
    // The hash of large data takes as long as its text.
    await this.locked.yieldIfDue();
    return this.placeAs(parent, values.id, (position, above) => {
      const message = {
        ...position,
        sources,
        createdAt: this.change.now,
        ...values,
        text,
        preview: messagePreview(text),
      };
      const hashes = sources.map(({ contentHash = null }) => contentHash);
      return { ...message, ...digestOf(message, data, above, hashes) };
    });
  }

  /** Like `place`, for a message that is built from its position: without a digest unless `make` computes it. */
  async placeAs<Placed extends PlacedMessage>(
    parent: ParentPlace,
    id: string,
    make: (position: Position, above: StoredNode | null) => Placed,
  ): Promise<Placed> {
    this.#lastSeq = (this.#lastSeq ?? (await this.locked.messageCount())) + 1;
    const above = parent === null ? null : await this.#nodeOf(parent.id);
    const position: Position = {
      ...UNSET_MESSAGE_COLUMNS,
      id,
      chatId: this.locked.chat.id,
      parentId: parent?.id ?? null,
      depth: parent === null ? 0 : parent.depth + 1,
      seq: this.#lastSeq,
      siblingIndex: await this.#nextSiblingIndex(parent?.id ?? null),
      createdBy: this.change.actorId,
      jumpId: above === null ? id : jumpOfChild(above, this.#node),
      parentSeq: above?.seq ?? null,
      sources: [],
    };
    const message = make(position, above);
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

  /** Reads the node's whole ladder when it is unknown, or known from the ladder of another node, without its digest. */
  async #nodeOf(id: string): Promise<StoredNode> {
    if (this.#nodes.get(id)?.usage === undefined) {
      for (const node of await this.locked.ladder(id))
        if (this.#nodes.get(node.id)?.usage === undefined) this.#nodes.set(node.id, node);
    }
    return { contentHash: null, usage: null, ...this.#node(id) };
  }

  readonly #node = (id: string): SavedNode => {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error(`message "${id}" is missing from the ladder of its descendant`);
    return node;
  };
}
