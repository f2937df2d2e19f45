/** Memory accounts: how much one user, and all users together, may hold for running operations. */
import { OverloadedError, TooLargeError } from '../conversation/errors.js';

/** The purposes of held memory. */
export type Account =
  /** Incomplete bodies and socket messages. */
  | 'bodies'
  /** Parsed variables, while their operation or subscription runs. */
  | 'variables'
  /** Content that operations read and return: see ContentBudget. */
  | 'content';

/** Bytes. */
export interface AccountBounds {
  /**
   * The maximum of one operation.
   * @default ofAUser
   */
  ofOne?: number;
  ofAUser: number;
  ofAll: number;
  /** A user below this amount is served regardless of the others. */
  spared: number;
}

export type MemoryBounds = Readonly<Record<Account, AccountBounds>>;

/** Name of each account in errors, and the remedy. */
const WORDS: Record<Account, { what: string; remedy: string }> = {
  bodies: { what: 'bytes of incomplete requests', remedy: 'send fewer requests at once' },
  variables: { what: 'variables of running operations', remedy: 'send fewer or smaller variables at once' },
  content: { what: 'large running answers', remedy: 'request less data at once' },
};

const KIB = 1024;
const MIB = 1024 ** 2;

/**
 * The bounds for a heap: all accounts together leave more than half of it.
 * @param heapBytes maximum size of the heap
 * @param maxContentBytes maximum content of one operation
 */
export function memoryBounds(heapBytes: number, maxContentBytes: number): MemoryBounds {
  const share = (part: number, most = Infinity) => Math.min(most, Math.floor(heapBytes / part));
  const content = Math.max(maxContentBytes, share(16));
  return {
    // A few at a time, for any size of the heap.
    bodies: {
      ofAUser: Math.max(20 * MIB, share(32, 64 * MIB)),
      ofAll: Math.max(20 * MIB, share(8, 256 * MIB)),
      spared: 16 * KIB,
    },
    // Parsing the values of one operation blocks the event loop for some tens of milliseconds.
    variables: { ofOne: 32 * MIB, ofAUser: share(32, 64 * MIB), ofAll: share(6), spared: 4 * KIB },
    // Small requests are served while others hold much memory.
    content: { ofAUser: Math.max(maxContentBytes, (content * 3) / 4), ofAll: content, spared: content / 256 },
  };
}

/** The same bounds only for all users together. */
export function withoutUsers({ bodies, variables, content }: MemoryBounds): MemoryBounds {
  const ofAll = (bounds: AccountBounds) => ({ ...bounds, ofAUser: bounds.ofAll });
  return { bodies: ofAll(bodies), variables: ofAll(variables), content: ofAll(content) };
}

/** Maximum bytes of unread answers on all connections together. */
export function unreadBytes(heapBytes: number, maxContentBytes: number): number {
  return Math.max(maxContentBytes, Math.min(heapBytes / 8, 256 * MIB));
}

export class Memory {
  readonly #held = new Map<Account, { all: number; users: Map<string, number> }>();

  /** @param bounds by default there are no bounds */
  constructor(readonly bounds?: MemoryBounds) {}

  held(account: Account, userId?: string): number {
    const held = this.#held.get(account);
    return (userId === undefined ? held?.all : held?.users.get(userId)) ?? 0;
  }

  /** Begins to hold memory for a user, until it is released. */
  hold(account: Account, userId: string): Holding {
    const held = this.#held.get(account) ?? { all: 0, users: new Map<string, number>() };
    this.#held.set(account, held);
    return new Holding(held, userId, WORDS[account], this.bounds?.[account]);
  }
}

export class Holding {
  bytes = 0;

  constructor(
    private readonly held: { all: number; users: Map<string, number> },
    private readonly userId: string,
    private readonly words: { what: string; remedy: string },
    private readonly bounds?: AccountBounds,
  ) {}

  /**
   * Holds more bytes. A refused holding releases everything at once, for concurrent requests.
   * @throws TooLargeError beyond the limit of a user, OverloadedError when the user, or all users together, hold too
   * much
   */
  take(bytes: number): void {
    const { held, userId, bounds } = this;
    this.bytes += bytes;
    held.all += bytes;
    const ofUser = (held.users.get(userId) ?? 0) + bytes;
    if (ofUser > 0) held.users.set(userId, ofUser);
    else held.users.delete(userId);
    if (bounds === undefined || this.bytes <= bounds.spared) return;
    const refusal = this.#refusal(bounds);
    if (refusal === null) return;
    this.release();
    throw refusal;
  }

  readonly release = (): void => this.take(-this.bytes);

  #refusal(bounds: AccountBounds): TooLargeError | OverloadedError | null {
    const { held, userId } = this;
    const { what, remedy } = this.words;
    const ofOne = Math.min(bounds.ofOne ?? Infinity, bounds.ofAUser);
    if (this.bytes > ofOne) {
      return new TooLargeError(`The operation needs more than ${ofOne} bytes of memory for ${what}: ${remedy}`);
    }
    if ((held.users.get(userId) ?? 0) > bounds.ofAUser) {
      return new OverloadedError(`This user has too many ${what}: try again later, or ${remedy}`);
    }
    if (held.all <= bounds.ofAll) return null;
    return new OverloadedError(`The server has too many ${what}: try again later, or ${remedy}`);
  }
}
