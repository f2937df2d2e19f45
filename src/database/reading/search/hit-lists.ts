import type { HitPosition } from '../../../conversation/reads.js';
import { compareHits } from '../../dialects/hit-order.js';

export interface FoundHit extends HitPosition {
  messageId: string;
}

interface ListOptions {
  /** Hits ranked per list. */
  ranked: number;
  after: HitPosition | null;
  /** Hits returned per list. */
  limit: number;
}

/** The hits of a search, in one list or one per chat. */
export class HitLists {
  readonly #lists: Map<string, HitList>;
  readonly #all: HitList | undefined;

  /** @param chatIds null for one list */
  constructor(
    private readonly chatIds: readonly string[] | null,
    options: ListOptions,
  ) {
    this.#lists = new Map(chatIds?.map((chatId) => [chatId, new HitList(options)]));
    if (chatIds === null) this.#all = new HitList(options);
  }

  get length(): number {
    return this.chatIds?.length ?? 1;
  }

  /** Whether another hit of the chat would be ranked. */
  isOpen(chatId: string): boolean {
    return (this.#all ?? this.#lists.get(chatId))?.isFull === false;
  }

  /** The chats whose hits would be ranked; null: all. */
  get open(): readonly string[] | null {
    return this.chatIds?.filter((chatId) => this.isOpen(chatId)) ?? null;
  }

  /** Whether no more hits are ranked. */
  get areFull(): boolean {
    return this.#all?.isFull ?? this.open?.length === 0;
  }

  /** Must be called newest first. */
  add(hit: FoundHit): void {
    (this.#all ?? this.#lists.get(hit.chatId))?.add(hit);
  }

  /** The best hits of each list, in the order of the chats. */
  best(): FoundHit[][] {
    if (this.#all !== undefined) return [this.#all.best()];
    return (this.chatIds ?? []).map((chatId) => this.#lists.get(chatId)?.best() ?? []);
  }
}

/** Keeps only the hits to return, however many are ranked. */
class HitList {
  #left: number;
  #best: FoundHit[] = [];

  constructor(private readonly options: ListOptions) {
    this.#left = options.ranked;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  add(hit: FoundHit): void {
    if (this.isFull) return;
    this.#left--;
    const { after, limit } = this.options;
    if (after !== null && compareHits(after, hit) >= 0) return;
    this.#best.push(hit);
    if (this.#best.length > 2 * limit + 100) this.#best = this.best();
  }

  best(): FoundHit[] {
    return this.#best.sort(compareHits).slice(0, this.options.limit);
  }
}
