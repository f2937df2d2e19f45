/** Compactions in sessions of Claude Code: the turns before one stay on the path to the turns after it. */
import type { JsonObject } from '../../json-object.js';
import { idOf, objectOf } from '../shared/members.js';

export class Compactions {
  /** The last line that the newest compaction kept for the model; the next turn names it as its parent. */
  #kept: string | null = null;

  /**
   * @param named the parent in the file
   * @param previous the line of the session before this one
   */
  parentOf(line: JsonObject, named: string | null, previous: string | null): string | null {
    if (previous === null) return named;
    const isBoundary = line['subtype'] === 'compact_boundary';
    if (isBoundary) this.#kept = idOf(objectOf(objectOf(line['compactMetadata'])['preservedSegment'])['tailUuid']);
    // A boundary can name a line of an earlier compaction, or one that no file has.
    if (isBoundary || (line['isCompactSummary'] === true && named === null)) return previous;
    if (named === null || named !== this.#kept) return named;
    this.#kept = null;
    return previous;
  }
}
