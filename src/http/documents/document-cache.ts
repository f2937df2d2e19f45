import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { HEAP_BYTES } from '../../limits/limits.js';

/** Upper estimate of a parsed document's size per character of its text; documents of one-letter names reach it. */
const BYTES_PER_CHARACTER = 256;

/** A 16th of the heap. */
const MAX_CHARACTERS = Math.floor(HEAP_BYTES / 16 / BYTES_PER_CHARACTER);

/** Parsed documents by their text, bounded by the characters of all texts; a longer document is not stored. */
export class DocumentCache extends LRUCache<string, DocumentNode> {
  constructor(maxCharacters = MAX_CHARACTERS) {
    super({ maxSize: maxCharacters, sizeCalculation: (_, text) => text.length });
  }
}

/**
 * Replaces the cache of validation errors: their number is unbounded, and each takes as much as hundreds of characters.
 */
export const nothingKept = { get: (): undefined => undefined, set: (): void => {} };
