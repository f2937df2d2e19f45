/** All accounts of memory: how much of it one user, and all together, may hold for what is under way. */
import { OverloadedError, TooLargeError } from '../conversation/errors.js';

/** What is held. */
export type Account =
  /** Bodies and messages of sockets that have not come to their end. */
  | 'bodies'
  /** Variables, parsed, as long as their operation or subscription runs. */
  | 'variables'
  /** What operations read and return: see ContentBudget. */
  | 'content';

/** Bytes. */
export interface AccountBounds {
  ofAUser: number;
  ofAll: number;
  /** Who holds no more than that of an account is served, whatever others hold. */
  spared: number;
}

export type MemoryBounds = Readonly<Record<Account, AccountBounds>>;

/** What each is called in an error, and what to do about it. */
const WORDS: Record<Account, { what: string; instead: string }> = {
  bodies: { what: 'bytes of requests that have not arrived', instead: 'send fewer at once' },
  variables: { what: 'variables under way', instead: 'send fewer, or smaller ones, at once' },
  content: { what: 'large answers under way', instead: 'ask for less' },
};

const KIB = 1024;
const MIB = 1024 ** 2;

/**
 * The bounds for a heap: all accounts together leave more than half of it.
 * @param heapBytes how large the heap may become
 * @param maxContentBytes how much one operation may read and return
 */
export function memoryBounds(heapBytes: number, maxContentBytes: number): MemoryBounds {
  const share = (part: number, most = Infinity) => Math.min(most, Math.floor(heapBytes / part));
  const content = Math.max(maxContentBytes, share(16));
  return {
    // A few at a time, however small the heap is.
    bodies: {
      ofAUser: Math.max(20 * MIB, share(32, 64 * MIB)),
      ofAll: Math.max(20 * MIB, share(8, 256 * MIB)),
      spared: 16 * KIB,
    },
    // One alone keeps the event loop for a tenth of a second.
    variables: { ofAUser: share(32, 64 * MIB), ofAll: share(6), spared: 4 * KIB },
    // Who asks for little does not suffer from those who ask for a lot.
    content: { ofAUser: Math.max(maxContentBytes, (content * 3) / 4), ofAll: content, spared: content / 256 },
  };
}

/** The same for all together alone. */
export function withoutUsers({ bodies, variables, content }: MemoryBounds): MemoryBounds {
  const ofAll = (bounds: AccountBounds) => ({ ...bounds, ofAUser: bounds.ofAll });
  return { bodies: ofAll(bodies), variables: ofAll(variables), content: ofAll(content) };
}

/** How many bytes of answers may wait to be read, on all connections together. */
export function unreadBytes(heapBytes: number, maxContentBytes: number): number {
  return Math.max(maxContentBytes, Math.min(heapBytes / 8, 256 * MIB));
}

/** How many bytes of parsed chunks of drafts are kept for followers, of all drafts together. */
export function draftPageBytes(heapBytes: number): number {
  return Math.min(heapBytes / 32, 64 * MIB);
}

export class Memory {
  readonly #held = new Map<Account, { all: number; users: Map<string, number> }>();

  /** @param bounds by default nobody is bounded */
  constructor(readonly bounds?: MemoryBounds) {}

  /** How much is held, in bytes. */
  held(account: Account, userId?: string): number {
    const held = this.#held.get(account);
    return (userId === undefined ? held?.all : held?.users.get(userId)) ?? 0;
  }

  /** Something of a user that takes memory until it is given back. */
  hold(account: Account, userId: string): Holding {
    const held = this.#held.get(account) ?? { all: 0, users: new Map<string, number>() };
    this.#held.set(account, held);
    return new Holding(held, userId, WORDS[account], this.bounds?.[account]);
  }
}

export class Holding {
  #bytes = 0;

  constructor(
    private readonly held: { all: number; users: Map<string, number> },
    private readonly userId: string,
    private readonly words: { what: string; instead: string },
    private readonly bounds?: AccountBounds,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes more. What is refused gives back all that it has, at once: for others who come at the same moment.
   * @throws TooLargeError when that is more than a user may hold, OverloadedError when the user, or all together, hold too much
   */
  take(bytes: number): void {
    this.#change(bytes);
    const refusal = this.#refusal();
    if (refusal === null) return;
    this.giveBack();
    throw refusal;
  }

  giveBack(): void {
    this.#change(-this.#bytes);
  }

  #change(bytes: number): void {
    const { held, userId } = this;
    this.#bytes += bytes;
    held.all += bytes;
    const ofUser = (held.users.get(userId) ?? 0) + bytes;
    if (ofUser > 0) held.users.set(userId, ofUser);
    else held.users.delete(userId);
  }

  #refusal(): TooLargeError | OverloadedError | null {
    const { held, userId, bounds } = this;
    const { what, instead } = this.words;
    if (bounds === undefined || this.#bytes <= bounds.spared) return null;
    if (this.#bytes > bounds.ofAUser) {
      return new TooLargeError(`That is more than ${bounds.ofAUser} bytes of memory for ${what}: ${instead}`);
    }
    if ((held.users.get(userId) ?? 0) > bounds.ofAUser) {
      return new OverloadedError(`This user has too many ${what}: try again later, or ${instead}`);
    }
    if (held.all <= bounds.ofAll) return null;
    return new OverloadedError(`The server has too many ${what}: try again later, or ${instead}`);
  }
}
