/** Where the head of a branch goes, told from the log: see docs/subscriptions.md. */
import { NotFoundError } from '../conversation/errors.js';
import type { LogReads } from '../conversation/log-reads.js';
import type { ChatEvent } from '../conversation/model.js';
import type { LogStream } from './log-stream.js';

/** A head, as it is now or after an event. */
export interface HeadUpdate {
  readonly chatId: string;
  /** The event that it comes from; for the present state, the chat's version. */
  readonly seq: number;
  readonly branchId: string;
  /** Where the head was before: of the branch that was active, when another has become so. */
  readonly previousHeadId: string | null;
  readonly headId: string | null;
  /** The seqs of the messages that were saved with it: an empty range for none. */
  readonly saved: { readonly firstSeq: number; readonly lastSeq: number };
}

const NONE_SAVED = { firstSeq: 1, lastSeq: 0 };

/**
 * The updates of one branch, or of whichever is active. Like LogStream no generator: return() of one that waits would
 * wait, too.
 */
export class HeadUpdates implements AsyncIterableIterator<HeadUpdate> {
  /** Where branches are, as far as the log has told it on the way. */
  readonly #heads = new Map<string, string | null>();

  constructor(
    private readonly log: LogReads,
    private readonly stream: LogStream,
    /** The branch that is followed; null as long as none is. */
    private branchId: string | null,
    /** Whether another branch is followed once it is active. */
    private readonly isActiveFollowed: boolean,
    /** What to tell before anything happens. */
    private first: HeadUpdate | null,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<HeadUpdate, undefined>> {
    const { first } = this;
    this.first = null;
    if (first !== null) return { done: false, value: first };
    for (;;) {
      const { done, value: event } = await this.stream.next();
      if (done) return { done, value: undefined };
      const update = await this.#updateOf(event);
      if (update !== null) return { done: false, value: update };
    }
  }

  async return(): Promise<IteratorResult<HeadUpdate, undefined>> {
    await this.stream.return();
    return { done: true, value: undefined };
  }

  async #updateOf(event: ChatEvent): Promise<HeadUpdate | null> {
    const { chatId, seq } = event;
    switch (event.type) {
      case 'BranchHeadMoved': {
        const { branchId, previousHeadId, headId, firstSeq, lastSeq } = event.payload;
        this.#heads.set(branchId, headId);
        if (branchId !== this.branchId) return null;
        return { chatId, seq, branchId, previousHeadId, headId, saved: { firstSeq, lastSeq } };
      }
      case 'BranchCreated': {
        const { branchId, headId } = event.payload;
        this.#heads.set(branchId, headId);
        if (branchId !== this.branchId) return null;
        return { chatId, seq, branchId, previousHeadId: null, headId, saved: NONE_SAVED };
      }
      case 'BranchActivated': {
        if (!this.isActiveFollowed) return null;
        const { branchId } = event.payload;
        const previousHeadId = await this.#headAt(this.branchId, event);
        const headId = await this.#headAt(branchId, event);
        this.branchId = branchId;
        return { chatId, seq, branchId, previousHeadId, headId, saved: NONE_SAVED };
      }
      default:
        return null;
    }
  }

  /** Where a branch was when something happened: known, or to be looked up in the log. */
  async #headAt(branchId: string | null, { chatId, seq }: ChatEvent): Promise<string | null> {
    if (branchId === null) return null;
    let headId = this.#heads.get(branchId);
    if (headId === undefined) {
      const types = ['BranchCreated', 'BranchHeadMoved'] as const;
      const range = { chatId, firstSeq: 1, lastSeq: seq, nearest: 'last' } as const;
      const event = await this.log.nearestEvent({ ...range, types, branchId });
      headId = event?.type === 'BranchCreated' || event?.type === 'BranchHeadMoved' ? event.payload.headId : null;
      this.#heads.set(branchId, headId);
    }
    return headId;
  }
}

/**
 * Follows a branch along a log.
 * @param branchName null for whichever branch is active
 * @param isResumed whether to tell what comes next, and not the present state first
 * @throws NotFoundError
 */
export async function followHead(
  log: LogReads,
  stream: LogStream,
  { chatId, branchName, isResumed }: { chatId: string; branchName: string | null; isResumed: boolean },
): Promise<HeadUpdates> {
  const now = await log.headNow(chatId, branchName);
  if (now === null) {
    await stream.look();
    // Of a chat that is gone only the end is left to tell.
    if (stream.isEnding) return new HeadUpdates(log, stream, null, false, null);
    throw branchName === null ? NotFoundError.chat(chatId) : NotFoundError.branch(branchName, chatId);
  }
  const { version, branchId, headId } = now;
  const isActiveFollowed = branchName === null;
  if (!isResumed) {
    stream.skipTo(version);
    const present = { chatId, seq: version, branchId, previousHeadId: headId, headId, saved: NONE_SAVED };
    return new HeadUpdates(log, stream, branchId, isActiveFollowed, present);
  }
  const followed = isActiveFollowed ? await activeAt(log, chatId, stream.position, now) : branchId;
  return new HeadUpdates(log, stream, followed, isActiveFollowed, null);
}

/** Which branch was active at a seq: mostly the one that still is. */
async function activeAt(
  log: LogReads,
  chatId: string,
  seq: number,
  now: { version: number; branchId: string },
): Promise<string | null> {
  const activation = (firstSeq: number, lastSeq: number, nearest: 'first' | 'last') =>
    log.nearestEvent({ chatId, firstSeq, lastSeq, nearest, types: ['BranchActivated'], branchId: null });
  if (seq >= now.version || (await activation(seq + 1, now.version, 'first')) === null) return now.branchId;
  const last = await activation(1, seq, 'last');
  return last?.type === 'BranchActivated' ? last.payload.branchId : null;
}
