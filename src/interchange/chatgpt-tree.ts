/** The tree behind the `mapping` of a ChatGPT conversation, whose links are often incomplete and sometimes disagree. */
import { isJsonObject } from '../conversation/merge-patch.js';
import { UnreadableError } from './unreadable.js';

export interface KeptNode {
  readonly id: string;
  /** The nearest ancestor with a message. */
  readonly parentId: string | null;
  readonly message: Record<string, unknown>;
}

export interface KeptTree {
  /** The nodes with a message, depth first. */
  readonly nodes: KeptNode[];
  /** For every node of the mapping the nearest kept one, from itself upwards. */
  readonly nearestKept: ReadonlyMap<string, string | null>;
}

interface MappingNode {
  message: unknown;
  parent: unknown;
  children: string[];
}

/**
 * The nodes that hold a message, linked through those that hold none.
 *
 * A node's own `parent` counts before its parent's `children`, which give the order; who is not listed there follows
 * in the order of the file.
 *
 * @throws UnreadableError when a node is its own ancestor, or its message is no message
 */
export function keptTree(mapping: Record<string, unknown>): KeptTree {
  const nodes = new Map(Object.entries(mapping).map(([id, value]) => [id, readNode(value)]));
  const children = orderedChildren(nodes, parentLinks(nodes));

  const kept: KeptNode[] = [];
  const nearestKept = new Map<string, string | null>();
  const open = (children.get(null) ?? []).map((id) => ({ id, keptAncestor: null as string | null })).reverse();
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { id, keptAncestor } = item;
    const message = nodes.get(id)?.message ?? null;
    if (message !== null && !isJsonObject(message)) throw new UnreadableError(`Message ${id} is not an object`);
    if (message !== null) kept.push({ id, parentId: keptAncestor, message });
    const nearest = message === null ? keptAncestor : id;
    nearestKept.set(id, nearest);
    for (const child of (children.get(id) ?? []).toReversed()) open.push({ id: child, keptAncestor: nearest });
  }
  return { nodes: kept, nearestKept };
}

function readNode(value: unknown): MappingNode {
  if (!isJsonObject(value)) return { message: null, parent: null, children: [] };
  const { message, parent, children } = value;
  const listed = Array.isArray(children) ? children.filter((child) => typeof child === 'string') : [];
  return { message, parent, children: listed };
}

/** The parent of every node that has one in the mapping. */
function parentLinks(nodes: ReadonlyMap<string, MappingNode>): Map<string, string> {
  const parents = new Map<string, string>();
  for (const [id, { parent }] of nodes) {
    if (typeof parent === 'string' && nodes.has(parent)) parents.set(id, parent);
  }
  refuseCycles(nodes.keys(), parents);
  linkListed(nodes, parents);
  return parents;
}

function refuseCycles(ids: Iterable<string>, parents: ReadonlyMap<string, string>): void {
  /** The node at which the walk began that came by first. */
  const seenFrom = new Map<string, string>();
  for (const start of ids) {
    if (seenFrom.has(start)) continue;
    let at: string | undefined = start;
    for (; at !== undefined && !seenFrom.has(at); at = parents.get(at)) seenFrom.set(at, start);
    // A walk that meets itself has gone round; one that meets an earlier walk goes on to a root as that one did.
    if (at !== undefined && seenFrom.get(at) === start) {
      throw new UnreadableError(`Message ${at} cannot be its own ${parents.get(at) === at ? 'parent' : 'ancestor'}`);
    }
  }
}

/** Nodes whose own `parent` leads nowhere go under the first node that lists them, unless that stands below them. */
function linkListed(nodes: ReadonlyMap<string, MappingNode>, parents: Map<string, string>): void {
  const lister = new Map<string, string>();
  for (const [id, { children }] of nodes) {
    for (const child of children) if (!lister.has(child)) lister.set(child, id);
  }
  const tops = new Map<string, string>();
  for (const id of nodes.keys()) {
    const parent = parents.has(id) ? undefined : lister.get(id);
    if (parent !== undefined && topOf(parent, parents, tops) !== id) parents.set(id, parent);
  }
}

/** The root above a node, noted in `tops` for all on the way: else long chains would be walked again and again. */
function topOf(id: string, parents: ReadonlyMap<string, string>, tops: Map<string, string>): string {
  const path: string[] = [];
  let at = id;
  for (let next; (next = tops.get(at) ?? parents.get(at)) !== undefined; at = next) path.push(at);
  for (const step of path) tops.set(step, at);
  return at;
}

/** The children of each node, and under null the roots, in their order. */
function orderedChildren(
  nodes: ReadonlyMap<string, MappingNode>,
  parents: ReadonlyMap<string, string>,
): Map<string | null, string[]> {
  const children = new Map<string | null, string[]>();
  for (const id of nodes.keys()) {
    const parent = parents.get(id) ?? null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  for (const [parent, siblings] of children) {
    const listed = parent === null ? [] : (nodes.get(parent)?.children ?? []);
    if (siblings.length < 2 || listed.length === 0) continue;
    const places = new Map(listed.map((id, place) => [id, place]));
    const place = (id: string) => places.get(id) ?? listed.length;
    siblings.sort((a, b) => place(a) - place(b));
  }
  return children;
}
