import type { HitPosition } from '../../../conversation/reads.js';
import { compareHits } from '../../dialects/hit-order.js';

export interface FoundHit extends HitPosition {
  messageId: string;
}

interface ListOptions {
  ranked: number;
  after: HitPosition | null;
  limit: number;
}

/** The hits of a search, in one list or one per chat. */
export class HitLists {
  /** By chat; '' for all. */
  readonly #lists: ReadonlyMap<string, HitList>;

  /** @param chatIds null for one list */
  constructor(
    private readonly chatIds: readonly string[] | null,
    options: ListOptions,
  ) {
    this.#lists = new Map((chatIds ?? ['']).map((chatId) => [chatId, new HitList(options)]));
  }

  get length(): number {
    return this.chatIds?.length ?? 1;
  }

  /** Whether another hit of the chat would be ranked. */
  isOpen(chatId: string): boolean {
    return this.#listOf(chatId)?.isFull === false;
  }

  /** The chats whose hits would be ranked; null: all. */
  get open(): readonly string[] | null {
    return this.chatIds?.filter((chatId) => this.isOpen(chatId)) ?? null;
  }

  get areFull(): boolean {
    return [...this.#lists.values()].every(({ isFull }) => isFull);
  }

  /** Must be called newest first. */
  add(hit: FoundHit): void {
    this.#listOf(hit.chatId)?.add(hit);
  }

  best(): FoundHit[][] {
    return (this.chatIds ?? ['']).map((chatId) => this.#listOf(chatId)?.best() ?? []);
  }

  #listOf(chatId: string): HitList | undefined {
    return this.#lists.get(this.chatIds === null ? '' : chatId);
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
