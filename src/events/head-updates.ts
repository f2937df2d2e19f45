/** The moves of a branch's head, from the log: see docs/subscriptions.md. */
import { NotFoundError } from '../conversation/errors.js';
import type { LogReads } from '../conversation/log-reads.js';
import type { ChatEvent } from '../conversation/model.js';
import type { LogStream } from './log-stream.js';
import type { ConversationReads } from '../conversation/reads.js';

/** A head, now or after an event. */
export interface HeadUpdate {
  readonly chatId: string;
  /** The seq of its event; for the present state, the chat's version. */
  readonly seq: number;
  readonly branchId: string;
  /** The previous head; after an activation, the head of the branch that was active. */
  readonly previousHeadId: string | null;
  readonly headId: string | null;
  /** The seqs of the messages saved with it; an empty range for none. */
  readonly saved: { readonly firstSeq: number; readonly lastSeq: number };
}

/** An update whose heads may need a read, which must complete before the next update is requested. */
export interface ComingUpdate {
  readonly chatId: string;
  /**
   * @param from its reads are taken only when they are needed
   * @throws NotFoundError when the branch is deleted
   */
  readonly read: (from: { readonly reads: HeadReads }) => Promise<HeadUpdate>;
}

const NONE_SAVED = { firstSeq: 1, lastSeq: 0 };

/**
 * The updates of one branch, or of the active branch. Not a generator: return() of a waiting generator would wait too.
 */
export class HeadUpdates implements AsyncIterableIterator<ComingUpdate> {
  readonly #history: HeadHistory;
  /** The last move of any branch: the same change can save on a branch and then activate it. */
  #move: { branchId: string } & Pick<HeadUpdate, 'seq' | 'saved'> = { branchId: '', seq: 0, saved: NONE_SAVED };

  constructor(
    private readonly stream: LogStream,
    /** The followed branch; null while there is none. */
    private branchId: string | null,
    /** Whether the active branch is followed. */
    private readonly isActiveFollowed: boolean,
    /** The first update, before any event. */
    private first: HeadUpdate | null,
  ) {
    this.#history = new HeadHistory(stream);
    if (branchId !== null && !isActiveFollowed) stream.following.branchId = branchId;
    if (first !== null) this.#history.note(first.branchId, first.headId);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ComingUpdate, undefined>> {
    const { first } = this;
    this.first = null;
    if (first !== null) return { done: false, value: coming(first) };
    for (;;) {
      const { done, value: event } = await this.stream.next();
      if (done) return { done, value: undefined };
      const update = this.#updateOf(event);
      if (update !== null) return { done: false, value: update };
    }
  }

  async return(): Promise<IteratorResult<ComingUpdate, undefined>> {
    await this.stream.return();
    return { done: true, value: undefined };
  }

  #updateOf(event: ChatEvent): ComingUpdate | null {
    const { chatId, seq } = event;
    switch (event.type) {
      case 'BranchHeadMoved': {
        const { branchId, previousHeadId, headId, firstSeq, lastSeq } = event.payload;
        const saved = { firstSeq, lastSeq };
        this.#note(branchId, headId);
        this.#move = { branchId, seq, saved };
        if (branchId !== this.branchId) return null;
        return coming({ chatId, seq, branchId, previousHeadId, headId, saved });
      }
      case 'BranchCreated': {
        const { branchId, headId } = event.payload;
        this.#note(branchId, headId);
        if (branchId !== this.branchId) return null;
        return coming({ chatId, seq, branchId, previousHeadId: null, headId, saved: NONE_SAVED });
      }
      case 'BranchActivated': {
        if (!this.isActiveFollowed) return null;
        const { branchId } = event.payload;
        const previousId = this.branchId;
        this.branchId = branchId;
        // An edit is one update, although its messages are saved before their branch becomes active.
        const saved = this.#move.branchId === branchId && this.#move.seq === seq - 1 ? this.#move.saved : NONE_SAVED;
        return {
          chatId,
          read: async ({ reads }) => {
            const heads = await this.#history.headsAt(event, [previousId, branchId], reads);
            const [previousHeadId = null, headId = null] = heads;
            return { chatId, seq, branchId, previousHeadId, headId, saved };
          },
        };
      }
      case 'BranchRenamed': {
        const { branchId } = event.payload;
        if (branchId !== this.branchId) return null;
        return {
          chatId,
          read: async ({ reads }) => {
            const [headId = null] = await this.#history.headsAt(event, [branchId], reads);
            return { chatId, seq, branchId, previousHeadId: headId, headId, saved: NONE_SAVED };
          },
        };
      }
      case 'BranchDeleted': {
        const { branchId, name } = event.payload;
        if (branchId !== this.branchId || this.isActiveFollowed) return null;
        return { chatId, read: () => Promise.reject(deleted(chatId, name)) };
      }
      default:
        return null;
    }
  }

  /** A subscriber of one branch receives no updates of others. */
  #note(branchId: string, headId: string | null): void {
    if (this.isActiveFollowed || branchId === this.branchId) this.#history.note(branchId, headId);
  }
}

function coming(update: HeadUpdate): ComingUpdate {
  return { chatId: update.chatId, read: () => Promise.resolve(update) };
}

/**
 * Follows a branch along a log, also after it is renamed.
 * @param branchName null for the active branch
 * @param isResumed whether to omit the present state
 * @throws NotFoundError
 */
export async function followHead(
  log: LogReads,
  stream: LogStream,
  { chatId, branchName, isResumed }: { chatId: string; branchName: string | null; isResumed: boolean },
): Promise<HeadUpdates> {
  const { following } = stream;
  if (following.branchId !== undefined) return new HeadUpdates(stream, following.branchId, false, null);
  const now = await log.headNow(chatId, branchName);
  if (isResumed && branchName !== null) {
    const range = { chatId, firstSeq: following.position + 1, lastSeq: now?.version ?? stream.newest };
    const before = await log.lostName(range, branchName);
    // A resumed subscription would receive the same update repeatedly.
    if (before?.isDeleted === true) throw deleted(chatId, branchName);
    if (before !== null) return new HeadUpdates(stream, before.branchId, false, null);
  }
  if (now === null) {
    await stream.refresh();
    // A deleted chat has no updates, only the end.
    if (stream.isEnding) return new HeadUpdates(stream, null, false, null);
    throw branchName === null ? NotFoundError.chat(chatId) : NotFoundError.branch(branchName, chatId);
  }
  const { version, branchId, headId } = now;
  if (!isResumed) {
    following.position = Math.max(following.position, version);
    const present = { chatId, seq: version, branchId, previousHeadId: headId, headId, saved: NONE_SAVED };
    return new HeadUpdates(stream, branchId, branchName === null, present);
  }
  if (branchName !== null) return new HeadUpdates(stream, branchId, false, null);
  return new HeadUpdates(stream, await activeAt(log, chatId, following.position, now), true, null);
}

function deleted(chatId: string, name: string): NotFoundError {
  return new NotFoundError(`Branch "${name}" of chat "${chatId}" was deleted`);
}

/** The branch that was active at a seq, usually the present one. */
async function activeAt(
  log: LogReads,
  chatId: string,
  seq: number,
  now: { version: number; branchId: string },
): Promise<string | null> {
  const later = await log.nearestActivation({ chatId, firstSeq: seq + 1, lastSeq: now.version }, 'first');
  return later === null ? now.branchId : log.nearestActivation({ chatId, firstSeq: 1, lastSeq: seq }, 'last');
}

/** Events that contain the head of a branch. */
type HeadReads = Pick<ConversationReads, 'headsAt'>;

/** Maximum number of branches whose heads are kept, the most recent ones. */
const KEPT = 256;

/**
 * The heads of branches at a stream's position in the log. Earlier heads are read from the log, together with those that the
 * events already read by the stream will need, in one pass.
 */
class HeadHistory {
  /** The most recent one last. */
  readonly #heads = new Map<string, string | null>();

  constructor(private readonly stream: LogStream) {}

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
