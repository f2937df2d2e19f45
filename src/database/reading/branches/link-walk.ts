import { scopeKey, type ChatScoped } from '../../../conversation/chat-scoped.js';
import type { Branch, Message } from '../../../conversation/model.js';
import type { Reader } from '../reader.js';

export type Located = ChatScoped & Pick<Message, 'depth'>;

/**
 * The messages asked about as a tree of their own, without those between. Each of them has a head at or below it. All are named
 * by their scopeKey.
 */
export interface RequestedTree {
  /** By the head of a branch: the message asked about that is it, or is nearest above it. */
  nearest: Map<string, string>;
  /** By a message asked about: the next one above it. */
  above: Map<string, string>;
}

/** The key of a branch's head; null for an empty branch. */
export function headKey({ chatId, headMessageId: id }: Branch): string | null {
  return id === null ? null : scopeKey({ chatId, id });
}

/** How many links one statement reads, about: a conversation may have any number of messages. */
const LINKS_AT_ONCE = 10_000;

interface Link extends ChatScoped {
  parentId: string | null;
}

/** What has come up to a message: the heads that have not met a message asked about yet, and those messages that no other has. */
interface Arrival extends ChatScoped {
  readonly depth: number;
  heads: string[];
  asked: string[];
}

/** Goes from the heads of branches up to the highest messages asked about, a band of depths at a time, once by each message. */
export class LinkWalk {
  readonly #asked: ReadonlySet<string>;
  /** Of each chat: where its walks end. */
  readonly #ends = new Map<string, number>();
  /** Those heads that nothing has come to yet, the deepest last. */
  readonly #heads: Arrival[];
  /** Where the walks are, by the scopeKey of a message: all at one depth. */
  #front = new Map<string, Arrival>();
  readonly #tree: RequestedTree = { nearest: new Map(), above: new Map() };

  constructor(
    private readonly reader: Reader,
    messages: readonly Located[],
    branches: readonly Branch[],
    private readonly linksAtOnce = LINKS_AT_ONCE,
  ) {
    this.#asked = new Set(messages.map(scopeKey));
    for (const { chatId, depth } of messages) {
      this.#ends.set(chatId, Math.min(this.#ends.get(chatId) ?? depth, depth));
    }
    const heads = new Map<string, Arrival>();
    for (const branch of branches) {
      const { headMessageId: id, chatId } = branch;
      const [key, depth] = [headKey(branch), branch.messageCount - 1];
      if (id === null || key === null || depth < this.#endOf(chatId)) continue;
      heads.set(key, { id, chatId, depth, heads: [key], asked: [] });
    }
    this.#heads = [...heads.values()].sort((one, other) => one.depth - other.depth);
  }

  async walk(): Promise<RequestedTree> {
    for (let bottom = this.#nextBottom(); bottom !== null; bottom = this.#nextBottom()) {
      const arrivals = this.#front;
      this.#front = new Map();
      for (let head = this.#heads.at(-1); head !== undefined && head.depth >= bottom; head = this.#heads.at(-1)) {
        this.#heads.pop();
        arrive(arrivals, head);
      }
      await this.#walkBand(arrivals, bottom);
    }
    return this.#tree;
  }

  /** The highest depth to go to next, so that there are not too many messages on the way; null at the end. */
  #nextBottom(): number | null {
    const [front] = this.#front.values();
    let n = this.#heads.length;
    const top = front?.depth ?? this.#heads[n - 1]?.depth;
    if (top === undefined) return null;
    let walks = this.#front.size;
    let links = 0;
    for (let depth = top; ; depth--) {
      for (; n > 0 && this.#heads[n - 1]?.depth === depth; n--) walks++;
      links += walks;
      if (depth === 0 || links + walks > this.linksAtOnce) return depth;
    }
  }

  async #walkBand(arrivals: Map<string, Arrival>, bottom: number): Promise<void> {
    const starts = [...arrivals.values()].map(({ id: messageId, chatId }) => {
      return { chatId, messageId, toDepth: Math.max(bottom, this.#endOf(chatId)) };
    });
    // One statement, but where there are too many at one depth already.
    for (let from = 0; from < starts.length; from += this.linksAtOnce) {
      const pieces = starts.slice(from, from + this.linksAtOnce);
      const links = await this.reader.rows<Link>(this.reader.sql.linksAbove(pieces), this.linksAtOnce);
      for (const { chatId, id, parentId } of links) {
        const key = scopeKey({ chatId, id });
        const here = arrivals.get(key);
        // Of others that are not on a path.
        if (here === undefined) continue;
        arrivals.delete(key);
        const goesOn = this.#asked.has(key) ? this.#meet(key, here) : here;
        if (parentId === null || here.depth <= this.#endOf(here.chatId)) continue;
        const above = { ...goesOn, id: parentId, depth: here.depth - 1 };
        arrive(above.depth < bottom ? this.#front : arrivals, above);
      }
    }
  }

  /** What has come up to a message that is asked about has met it, which goes on alone. */
  #meet(key: string, here: Arrival): Arrival {
    for (const head of here.heads) this.#tree.nearest.set(head, key);
    for (const lower of here.asked) this.#tree.above.set(lower, key);
    return { ...here, heads: [], asked: [key] };
  }

  #endOf(chatId: string): number {
    return this.#ends.get(chatId) ?? 0;
  }
}

/** Adds what comes up to a message to what has come there before: to the longer lists, so that nothing is moved often. */
function arrive(arrivals: Map<string, Arrival>, arrival: Arrival): void {
  const key = scopeKey(arrival);
  const before = arrivals.get(key);
  if (before === undefined) {
    arrivals.set(key, arrival);
    return;
  }
  before.heads = joined(before.heads, arrival.heads);
  before.asked = joined(before.asked, arrival.asked);
}

function joined(one: string[], other: string[]): string[] {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  for (const each of shorter) longer.push(each);
  return longer;
}
