/** Collects the nodes of a conversation and arranges them as a tree. */
import { linkedTree, type LinkedNode } from './linked-tree.js';
import { arrayOf, contentId, idOf, objectOf, textOf, withoutNull, anyToMs } from './members.js';
import type { NodeContent, SourceNode, FoundSource } from '../../source-conversation.js';
import { UnreadableError, type JsonObject } from '../../file-values.js';
import { belowSystemPrompt } from './system-prompt.js';

/** Nodes of a conversation. Each costs memory, and arranging them has no pause. */
const MAX_NODES = 200_000;
/** Duplicate ids that are named in warnings; further ones are only counted. */
const MAX_NAMED = 100;
const MAX_SHOWN_LENGTH = 100;
/** Values that mean no parent: the id of zeros, also with the marks of a version. */
const NO_PARENT = /^[0-]*(4000-8000-0*)?$/;

export interface FoundNode {
  /** The id in the file. */
  readonly id: unknown;
  /** The parent in the file; undefined when the node has no such member, and then follows `previous`. */
  readonly parent: unknown;
  /** In formats that are written message by message: the node that it follows if its parent is missing. */
  readonly previous?: string | null;
  /** Ids of its children, where the file has them. */
  readonly children?: unknown;
  /** @default true; see LinkedNode */
  readonly isKept?: boolean;
  readonly createdAt: number | null;
  readonly content: () => NodeContent;
}

export class SourceGraph {
  readonly #warnings: string[] = [];
  #renamed = 0;
  /** The last number appended to each duplicate id: smaller ones are taken. */
  readonly #lastNumbers = new Map<string | null, number>();
  readonly #links = new Map<string, LinkedNode>();
  readonly #found = new Map<string, FoundNode>();
  /** The newest version of each id that several messages have. */
  readonly #latest = new Map<string, string>();
  /** Parents that nodes before them name: files can have the newest message first. */
  readonly #awaited = new Set<string>();
  #last: string | null = null;

  /** The ids of the nodes, in the order of the file. */
  get ids(): string[] {
    return [...this.#found.keys()];
  }

  get warnings(): readonly string[] {
    const left = this.#renamed - MAX_NAMED;
    if (left <= 0) return this.#warnings;
    return [...this.#warnings, `${left} more of its messages have ids of others, and got new ones`];
  }

  /** The node that was added last; null before the first. */
  get last(): string | null {
    return this.#last;
  }

  has(id: string): boolean {
    return this.#found.has(id);
  }

  /**
   * Drops an equal copy of a node. Another node with its id becomes a node of its own, which later children follow.
   * @returns the node's id, which is a new one when the file has none or repeats one; for a copy, the node before it
   */
  add(node: FoundNode): string {
    if (this.#found.size === MAX_NODES) {
      throw new UnreadableError(`it has more than ${MAX_NODES.toLocaleString('en')} messages, which are too many`);
    }
    const own = idOf(node.id);
    const version = own === null ? undefined : this.#versionOf(own, node);
    if (own !== null && version !== undefined) {
      if (version !== own || this.#latest.has(own)) this.#latest.set(own, version);
      return node.previous ?? this.#last ?? version;
    }
    const id = own === null || this.#found.has(own) ? this.#freeId(own) : own;
    const children = arrayOf(node.children).flatMap((child) => idOf(child) ?? []);
    const given = node.parent === undefined ? (node.previous ?? undefined) : node.parent;
    const named = given === undefined ? undefined : idOf(given);
    const parent = typeof named === 'string' ? (this.#latest.get(named) ?? named) : named;
    if (typeof parent === 'string' && !this.#found.has(parent)) this.#awaited.add(parent);
    this.#links.set(id, { parent, children, isKept: node.isKept ?? true });
    this.#found.set(id, node);
    if (own !== null && id !== own) this.#latest.set(own, id);
    this.#last = id;
    return id;
  }

  /** Adds a node below the last one. */
  append(node: Omit<FoundNode, 'parent'>): string {
    return this.add({ ...node, parent: this.#last });
  }

  /** The node that this one is an equal copy of. */
  #versionOf(own: string, node: FoundNode): string | undefined {
    const versions = new Set([this.#latest.get(own) ?? own, own]);
    const parent = idOf(node.parent);
    return [...versions].find((id) => {
      const other = this.#found.get(id);
      if (other === undefined || other.createdAt !== node.createdAt || (other.isKept ?? true) !== (node.isKept ?? true))
        return false;
      // Formats without parents link a copy to the message before it. An id of several messages does not identify one.
      const isChained = parent === this.#last && !this.#latest.has(own);
      if (parent !== idOf(other.parent) && parent !== id && !isChained) return false;
      const content = contentId(comparable(node));
      return content !== null && content === contentId(comparable(other));
    });
  }

  /** Links the nodes whose parents are missing to the ones before them, and warns of the others. */
  #repairLinks(): void {
    let repaired = 0;
    for (const [id, link] of this.#links) {
      if (!this.#isMissing(link.parent)) continue;
      const previous = this.#found.get(id)?.previous ?? null;
      if (previous === null || !this.#found.has(previous) || this.#awaited.has(id)) continue;
      repaired++;
      this.#links.set(id, { ...link, parent: previous });
    }
    if (repaired > 0) this.#warnings.push(missingParents(repaired, 'follows the message before it'));
  }

  #warnOfOrphans(order: readonly { readonly id: string; readonly parentId: string | null }[]): void {
    const parents = order.filter(({ parentId }) => parentId === null).map(({ id }) => this.#links.get(id)?.parent);
    // A value that all roots share, or that the only root has, means no parent.
    const [first] = parents;
    const isMixed = parents.some((parent) => !this.#isMissing(parent));
    const orphans = parents.filter((parent) => this.#isMissing(parent) && (isMixed || parent !== first));
    if (orphans.length > 0) this.#warnings.push(missingParents(orphans.length, 'begins a path of its own'));
  }

  #isMissing(parent: unknown): boolean {
    return typeof parent === 'string' && !this.#found.has(parent) && !NO_PARENT.test(parent);
  }

  /**
   * @param active the active node, as the file has it
   * @param missing names the member that should have it, for a warning; null for formats without one, whose active node
   * is the newest leaf
   */
  arranged(active: unknown, missing: string | null): { nodes: SourceNode[]; activeNode: string | null } {
    this.#repairLinks();
    const { order, nearestKept, cut, isChained } = linkedTree(this.#links);
    this.#warnOfOrphans(order);
    for (const id of cut.slice(0, MAX_NAMED)) {
      this.#warnings.push(`message ${id.slice(0, MAX_SHOWN_LENGTH)} is its own ancestor: its parent was removed`);
    }
    if (cut.length > MAX_NAMED)
      this.#warnings.push(`${cut.length - MAX_NAMED} more of its messages are their own ancestors`);
    if (isChained) this.#warnings.push('its messages name no parents: each follows the one before it');
    const nodes = order.map(({ id, parentId }): SourceNode => {
      const { createdAt, content } = this.#found.get(id) as FoundNode;
      return { id, parentId, createdAt, content };
    });
    const last = newestLeaf(nodes);
    const asked = idOf(active);
    const named = asked === null ? null : (nearestKept.get(asked) ?? null);
    if (named === null && last !== null && missing !== null) {
      const fault = asked === null ? `${missing} is missing` : `${missing} names no message of the conversation`;
      this.#warnings.push(`${fault}: the leaf saved last became the head of main`);
    }
    return { nodes, activeNode: named ?? last };
  }

  #freeId(own: string | null): string {
    let n = Math.max(this.#found.size, this.#lastNumbers.get(own) ?? 0) + 1;
    const name = (n: number) => (own === null ? `#${n}` : `${own}#${n}`);
    while (this.#found.has(name(n))) n++;
    this.#lastNumbers.set(own, n);
    if (own !== null && this.#renamed++ < MAX_NAMED) {
      const [shown, became] = [own, name(n)].map((id) => id.slice(0, MAX_SHOWN_LENGTH));
      this.#warnings.push(`two of its messages have the id ${shown}: the second became ${became}`);
    }
    return name(n);
  }
}

function comparable({ content }: FoundNode): unknown {
  const { role, fingerprinted } = content();
  return [role, fingerprinted];
}

function missingParents(count: number, result: string): string {
  const messages = count === 1 ? '1 message names a parent' : `${count} messages name parents`;
  return `${messages} that the file does not contain: ${count === 1 ? 'it' : 'each'} ${result}`;
}

/** The leaf with the latest time, its own or its nearest ancestor's; the last one of several. */
function newestLeaf(nodes: readonly SourceNode[]): string | null {
  const times = new Map<string, number>();
  const parents = new Set<string | null>();
  for (const { id, parentId, createdAt } of nodes) {
    times.set(id, createdAt ?? (parentId === null ? undefined : times.get(parentId)) ?? 0);
    parents.add(parentId);
  }
  let newest: string | null = null;
  for (const { id } of nodes) {
    if (parents.has(id)) continue;
    if (newest === null || (times.get(id) as number) >= (times.get(newest) as number)) newest = id;
  }
  return newest;
}

interface FoundConversation {
  readonly source: string;
  /** The id in the file; null without one. */
  readonly id: string | null;
  /** See SourceConversation. */
  readonly formerId?: string | null;
  readonly title: unknown;
  readonly createTime?: unknown;
  readonly updateTime?: unknown;
  readonly graph: SourceGraph;
  /** The active node, as the file has it. */
  readonly active?: unknown;
  /**
   * The member that names the active node, for a warning when it is missing or invalid. Null for formats without one.
   */
  readonly activeMember?: string | null;
  readonly details?: JsonObject;
  /** The system prompt beside the messages: a text, blocks, or an object with a text or parts. It becomes the first message. */
  readonly system?: unknown;
  /** The node of the system prompt. @default 'system' */
  readonly systemId?: string;
  /** Whether the messages that are not on the active path were undone. A warning counts them. */
  readonly isUndone?: boolean;
  /** Other members of the conversation. */
  readonly original: JsonObject;
  readonly warnings?: readonly string[];
}

export function foundConversation(found: FoundConversation): FoundSource {
  const { createTime, updateTime, graph } = found;
  const { nodes, activeNode } = graph.arranged(found.active, found.activeMember ?? null);
  return {
    source: found.source,
    conversationId: found.id,
    ...(found.id === null && { formerId: found.formerId ?? null }),
    title: textOf(found.title),
    createdAt: anyToMs(createTime),
    updatedAt: anyToMs(updateTime),
    createTime,
    updateTime,
    nodes: belowSystemPrompt(nodes, found.system, found.systemId ?? 'system'),
    activeNode,
    details: withoutNull(objectOf(found.details)),
    original: withoutNull(found.original),
    warnings: [
      ...graph.warnings,
      ...(found.isUndone === true ? undoneWarning(nodes, activeNode) : []),
      ...(found.warnings ?? []),
    ],
  };
}

/** The warning that counts messages that are not on the active path. */
export function besideMain(count: number, reason: string): string {
  return `messages beside main, because ${reason}: ${count}`;
}

function undoneWarning(nodes: readonly SourceNode[], activeNode: string | null): string[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  let count = nodes.length;
  for (let at = activeNode; at !== null; at = parents.get(at) ?? null) count--;
  return count > 0 ? [besideMain(count, 'they were undone')] : [];
}

const TITLE_LENGTH = 100;

/** The title of a conversation without one: the first line of its first text by the user. */
export function titleFromFirstUser<Message extends JsonObject>(
  messages: readonly Message[],
  textOfMessage: (message: Message) => unknown,
): string {
  const first = messages.find(({ role }) => role === 'user');
  return titleFrom(first === undefined ? '' : (textOf(textOfMessage(first)) ?? ''));
}

/** The first line of a question. */
export function titleFrom(question: string): string {
  return Array.from(question.trim().split('\n', 1)[0] ?? '')
    .slice(0, TITLE_LENGTH)
    .join('');
}
