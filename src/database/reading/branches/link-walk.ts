import { scopeKey, type ChatScoped } from '../../../conversation/chat-scoped.js';
import type { Branch, Message } from '../../../conversation/model.js';
import type { Reader } from '../reader.js';

export type Located = ChatScoped & Pick<Message, 'depth'>;

/** The tree of the requested messages, without those between. Each has a head at or below it. Keys are scopeKeys. */
export interface RequestedTree {
  /** By branch head: the requested message that is the head or its nearest ancestor. */
  nearest: Map<string, string>;
  /** By requested message: the nearest requested ancestor. */
  above: Map<string, string>;
}

/** The key of a branch's head; null for an empty branch. */
export function headKey({ chatId, headMessageId: id }: Branch): string | null {
  return id === null ? null : scopeKey({ chatId, id });
}

/** Approximate number of links per statement: conversations may have any length. */
const LINKS_AT_ONCE = 10_000;

interface Link extends ChatScoped {
  parentId: string | null;
}

/**
 * The state at a message: heads that have not met a requested message, and requested messages without a parent in the
 * tree.
 */
interface Arrival extends ChatScoped {
  readonly depth: number;
  heads: string[];
  asked: string[];
}

/** Walks from branch heads to the highest requested messages, in bands of depths, visiting each message once. */
export class LinkWalk {
  readonly #asked: ReadonlySet<string>;
  /** The ends of the walks of each chat. */
  readonly #ends = new Map<string, number>();
  /** Heads that no walk has reached yet, deepest last. */
  readonly #heads: Arrival[];
  /** The present positions of the walks by scopeKey, all at one depth. */
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

  /** The next band's highest depth, bounded by the number of messages; null at the end. */
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
    // One statement, unless there are too many messages at one depth.
    for (let from = 0; from < starts.length; from += this.linksAtOnce) {
      const pieces = starts.slice(from, from + this.linksAtOnce);
      const links = await this.reader.rows<Link>(this.reader.sql.linksAbove(pieces), this.linksAtOnce);
      for (const { chatId, id, parentId } of links) {
        const key = scopeKey({ chatId, id });
        const here = arrivals.get(key);
        // The row is not on a path.
        if (here === undefined) continue;
        arrivals.delete(key);
        const next = this.#asked.has(key) ? this.#meet(key, here) : here;
        if (parentId === null || here.depth <= this.#endOf(here.chatId)) continue;
        const above = { ...next, id: parentId, depth: here.depth - 1 };
        arrive(above.depth < bottom ? this.#front : arrivals, above);
      }
    }
  }

  /** At a requested message, all arrivals are assigned to it, and the walk continues with it alone. */
  #meet(key: string, here: Arrival): Arrival {
    for (const head of here.heads) this.#tree.nearest.set(head, key);
    for (const lower of here.asked) this.#tree.above.set(lower, key);
    return { ...here, heads: [], asked: [key] };
  }

  #endOf(chatId: string): number {
    return this.#ends.get(chatId) ?? 0;
  }
}

/** Merges arrivals at a message into the longer list, which keeps the moves few. */
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
