import type { ChatEvent } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { LogStream } from './log-stream.js';

/** Events that contain the head of a branch. */
export type HeadReads = Pick<ConversationReads, 'headsAt'>;

/** Maximum number of branches whose heads are kept, the most recent ones. */
const KEPT = 256;

/**
 * The heads of branches at a stream's position in the log. Earlier heads are read from the log, together with those that the
 * events already read by the stream will need, in one pass.
 */
export class HeadHistory {
  /** The most recent one last. */
  readonly #heads = new Map<string, string | null>();

  constructor(private readonly stream: LogStream) {}

  /** Notes the head of a branch. */
  note(branchId: string, headId: string | null): void {
    this.#heads.delete(branchId);
    this.#heads.set(branchId, headId);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > KEPT && oldest !== undefined) this.#heads.delete(oldest);
  }

  /** The heads of branches at the event that the stream has reached; null for an empty branch. */
  async headsAt(event: ChatEvent, branchIds: readonly (string | null)[], reads: HeadReads): Promise<(string | null)[]> {
    const missing = branchIds.flatMap((id) => (id === null || this.#heads.has(id) ? [] : [id]));
    const found =
      missing.length === 0
        ? new Map<string, string | null>()
        : await reads.headsAt(event.chatId, event.seq, [...missing, ...this.#missingAhead(missing)]);
    const heads = branchIds.map((id) => (id === null ? null : (this.#heads.get(id) ?? found.get(id) ?? null)));
    for (const [id, headId] of found) this.note(id, headId);
    return heads;
  }

  /** The branches that become active in these events before an event with their head. */
  #missingAhead(missing: readonly string[]): string[] {
    const known = new Set([...this.#heads.keys(), ...missing]);
    const wanted: string[] = [];
    for (const { type, payload } of this.stream.ahead) {
      if (type !== 'BranchCreated' && type !== 'BranchHeadMoved' && type !== 'BranchActivated') continue;
      const { branchId } = payload;
      if (type === 'BranchActivated' && !known.has(branchId) && wanted.length < KEPT / 2) wanted.push(branchId);
      known.add(branchId);
    }
    return wanted;
  }
}
