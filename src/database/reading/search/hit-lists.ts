import type { HitPosition } from '../../../conversation/reads.js';
import { compareHits } from '../../dialects/hit-order.js';

export interface FoundHit extends HitPosition {
  messageId: string;
}

interface ListOptions {
  /** How many hits are ranked in each list. */
  ranked: number;
  after: HitPosition | null;
  /** How many are wanted of each. */
  limit: number;
}

/** What a search finds: in one list, or in one for each of some chats. */
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

  /** Whether a hit of a chat would be ranked. */
  isOpen(chatId: string): boolean {
    return (this.#all ?? this.#lists.get(chatId))?.isFull === false;
  }

  /** The chats whose hits would be; null: of all. */
  get open(): readonly string[] | null {
    return this.chatIds?.filter((chatId) => this.isOpen(chatId)) ?? null;
  }

  /** Whether no more hits are ranked at all. */
  get areFull(): boolean {
    return this.#all?.isFull ?? this.open?.length === 0;
  }

  /** Those that were saved last come first. */
  add(hit: FoundHit): void {
    (this.#all ?? this.#lists.get(hit.chatId))?.add(hit);
  }

  /** The best of each list, in the order of the chats. */
  best(): FoundHit[][] {
    if (this.#all !== undefined) return [this.#all.best()];
    return (this.chatIds ?? []).map((chatId) => this.#lists.get(chatId)?.best() ?? []);
  }
}

/** Of one list as few are kept as are wanted, however many are ranked. */
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
