/**
 * Chunks of drafts, parsed, in pages of about 64 KiB that all followers of a draft share: each page is read and parsed once.
 * All drafts of the process together keep a bounded number of bytes; a follower keeps no page while it waits.
 */
import type { DraftPiece } from '../draft.js';
import { HEAP_BYTES } from '../../../limits/limits.js';
import { parsedSize } from '../../../limits/parsed-size.js';

/** Characters of JSON, and BYTES_PER_CHUNK for each chunk. A longer chunk has a separate page. */
export const PAGE_BYTES = 64 * 1024;

/** The place of a chunk in the list of an answer. */
const BYTES_PER_CHUNK = 32;

export interface DraftPage {
  /** The number of chunks before the page. */
  readonly offset: number;
  /** The number of chunks up to the end of the page. */
  readonly length: number;
  readonly chunks: readonly unknown[];
  /** The size in an answer; see PAGE_BYTES. */
  readonly bytes: number;
  /** The size in memory. */
  readonly heapBytes: number;
}

/** The pages of all drafts: the least recently used ones are dropped. */
export class PageCache {
  #heapBytes = 0;
  /** Each page with the pages of its draft, the most recently used page last. */
  readonly #pages = new Map<DraftPage, Set<DraftPage>>();

  /** @param maxBytes of parsed chunks; the newest page stays, however large it is */
  constructor(private readonly maxBytes: number) {}

  get heapBytes(): number {
    return this.#heapBytes;
  }

  use(page: DraftPage, ofDraft: Set<DraftPage>): void {
    this.drop(page);
    this.#pages.set(page, ofDraft.add(page));
    this.#heapBytes += page.heapBytes;
    for (const oldest of this.#pages.keys()) {
      if (this.#heapBytes <= this.maxBytes || oldest === page) return;
      this.drop(oldest);
    }
  }

  drop(page: DraftPage): void {
    const ofDraft = this.#pages.get(page);
    if (ofDraft === undefined) return;
    ofDraft.delete(page);
    this.#pages.delete(page);
    this.#heapBytes -= page.heapBytes;
  }
}

/** Maximum bytes of parsed chunks kept for followers, of all drafts together. */
export function pageCacheBytes(heapBytes: number): number {
  return Math.min(heapBytes / 32, 64 * 1024 * 1024);
}

const ofTheProcess = new PageCache(pageCacheBytes(HEAP_BYTES));

/** The pages of one draft. */
export class DraftPages {
  readonly #pages = new Set<DraftPage>();
  /** One read at a time: its page may be the page that the next follower needs. */
  #reading: Promise<unknown> = Promise.resolve();

  /** @param read returns the pieces after so many chunks: about a page of them, at least one */
  constructor(
    private readonly read: (after: number) => Promise<readonly DraftPiece[]>,
    private readonly cache: PageCache = ofTheProcess,
  ) {}

  /**
   * The page with the chunk at an offset; null when that chunk is not stored.
   * @throws DatabaseUnavailableError
   */
  async at(offset: number): Promise<DraftPage | null> {
    const cached = this.#cached(offset);
    if (cached !== null) return cached;
    const page = this.#reading.then(() => this.#cached(offset) ?? this.#readFrom(offset));
    this.#reading = page.catch(() => {});
    return page;
  }

  /** Adds a piece that was written in this process. */
  append(piece: DraftPiece): void {
    const last = [...this.#pages].find(({ length }) => length === piece.startOffset);
    const pages = toPages([piece], last);
    if (last !== undefined) this.cache.drop(last);
    for (const page of pages) this.cache.use(page, this.#pages);
  }

  /** Drops all pages of the draft. */
  clear(): void {
    for (const page of this.#pages) this.cache.drop(page);
  }

  #cached(offset: number): DraftPage | null {
    for (const page of this.#pages) {
      if (page.offset > offset || page.length <= offset) continue;
      this.cache.use(page, this.#pages);
      return page;
    }
    return null;
  }

  async #readFrom(offset: number): Promise<DraftPage | null> {
    const pages = toPages(await this.read(offset));
    for (const page of pages) this.cache.use(page, this.#pages);
    return pages.find((page) => page.offset <= offset && offset < page.length) ?? null;
  }
}

/** @param last the page that the first piece continues */
function toPages(pieces: readonly DraftPiece[], last?: DraftPage): DraftPage[] {
  const pages = last === undefined ? [] : [last];
  for (const part of pieces.flatMap(partsOf)) {
    const before = pages.at(-1);
    if (before !== undefined && before.bytes + part.bytes <= PAGE_BYTES) pages[pages.length - 1] = joined(before, part);
    else pages.push(part);
  }
  return pages;
}

/** A piece, or its chunks one by one where it is longer than a page. */
function partsOf({ startOffset, chunks: json }: DraftPiece): DraftPage[] {
  const chunks = JSON.parse(json) as unknown[];
  if (json.length <= PAGE_BYTES) return [toPage(startOffset, chunks, json)];
  return chunks.map((chunk, n) => toPage(startOffset + n, [chunk], JSON.stringify(chunk)));
}

function toPage(offset: number, chunks: readonly unknown[], json: string): DraftPage {
  return {
    offset,
    length: offset + chunks.length,
    chunks,
    bytes: json.length + BYTES_PER_CHUNK * chunks.length,
    heapBytes: parsedSize(Buffer.from(json)),
  };
}

function joined(page: DraftPage, next: DraftPage): DraftPage {
  return {
    offset: page.offset,
    length: next.length,
    chunks: [...page.chunks, ...next.chunks],
    bytes: page.bytes + next.bytes,
    heapBytes: page.heapBytes + next.heapBytes,
  };
}
