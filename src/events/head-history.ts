import type { ChatEvent } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { LogStream } from './log-stream.js';

/** What tells where branches were. */
export type HeadReads = Pick<ConversationReads, 'headsAt'>;

/** Of how many branches it is kept where they are: of those that were met last. */
const KEPT = 256;

/**
 * Where branches are, as far as a stream has come along their log. It is told on the way; what was before, or long ago, is
 * looked up in the log, and with it what the events will need that the stream has already read: the log is gone through
 * once for all of them.
 */
export class HeadHistory {
  /** Those that were met last at the end. */
  readonly #heads = new Map<string, string | null>();

  constructor(private readonly stream: LogStream) {}

  /** A branch has got there. */
  note(branchId: string, headId: string | null): void {
    this.#heads.delete(branchId);
    this.#heads.set(branchId, headId);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > KEPT && oldest !== undefined) this.#heads.delete(oldest);
  }

  /** Where branches were when an event happened, to which the stream has just come; null for none. */
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

  /** The branches that will be active, and of which nothing will have told before where they are. */
  #missingAhead(missing: readonly string[]): string[] {
    const told = new Set([...this.#heads.keys(), ...missing]);
    const wanted: string[] = [];
    for (const { type, payload } of this.stream.ahead) {
      if (type !== 'BranchCreated' && type !== 'BranchHeadMoved' && type !== 'BranchActivated') continue;
      const { branchId } = payload;
      if (type === 'BranchActivated' && !told.has(branchId) && wanted.length < KEPT / 2) wanted.push(branchId);
      told.add(branchId);
    }
    return wanted;
  }
}
