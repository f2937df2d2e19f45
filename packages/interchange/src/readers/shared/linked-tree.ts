/** The tree of nodes that name each other. Links in files are often incomplete and sometimes contradictory. */

export interface LinkedNode {
  /** The parent that the node names. Values that are no node's id mean none; undefined when the file has no parents. */
  readonly parent: unknown;
  /** The children that the node names, in their order. */
  readonly children: readonly string[];
  /** Whether it holds a message. Descendants of a node without one are linked to its nearest kept ancestor. */
  readonly isKept: boolean;
}

export interface LinkedTree {
  /** The kept nodes, depth first, each with its nearest kept ancestor. */
  readonly order: { readonly id: string; readonly parentId: string | null }[];
  /** For every node, the nearest kept one among itself and its ancestors. */
  readonly nearestKept: ReadonlyMap<string, string | null>;
  /** Nodes that were their own ancestors: their parents are removed, one for each cycle. */
  readonly cut: readonly string[];
  /** Whether no node named another one, so that each follows the one before it. */
  readonly isChained: boolean;
}

/**
 * A node's own `parent` takes precedence over its parent's `children`, which give the order; unlisted children follow in
 * the order of the file.
 */
export function linkedTree(nodes: ReadonlyMap<string, LinkedNode>): LinkedTree {
  const { parents, cut, isChained } = parentLinks(nodes);
  const children = orderedChildren(nodes, parents);

  const order: { id: string; parentId: string | null }[] = [];
  const nearestKept = new Map<string, string | null>();
  const open = (children.get(null) ?? []).map((id) => ({ id, parentId: null as string | null })).reverse();
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { id, parentId } = item;
    const isKept = nodes.get(id)?.isKept === true;
    if (isKept) order.push(item);
    const nearest = isKept ? id : parentId;
    nearestKept.set(id, nearest);
    for (const child of (children.get(id) ?? []).toReversed()) open.push({ id: child, parentId: nearest });
  }
  return { order, nearestKept, cut, isChained };
}

/** The parent of each node that has one in the mapping. */
function parentLinks(nodes: ReadonlyMap<string, LinkedNode>) {
  const parents = new Map<string, string>();
  let isChained = nodes.size > 1;
  for (const [id, { parent, children }] of nodes) {
    if (typeof parent === 'string' && nodes.has(parent)) parents.set(id, parent);
    if (parent !== undefined || children.length > 0) isChained = false;
  }
  const cut = cutCycles(nodes.keys(), parents);
  linkListed(nodes, parents);
  if (isChained) {
    let previous: string | undefined;
    for (const id of nodes.keys()) {
      if (previous !== undefined) parents.set(id, previous);
      previous = id;
    }
  }
  return { parents, cut, isChained };
}

/** Removes the parent of one node of each cycle: of the first that the file reaches. */
function cutCycles(ids: Iterable<string>, parents: Map<string, string>): string[] {
  const cut: string[] = [];
  /** The start of the walk that reached a node first. */
  const seenFrom = new Map<string, string>();
  for (const start of ids) {
    if (seenFrom.has(start)) continue;
    let at: string | undefined = start;
    for (; at !== undefined && !seenFrom.has(at); at = parents.get(at)) seenFrom.set(at, start);
    // A walk that reaches itself is a cycle; one that reaches an earlier walk leads to a root, as that one does.
    if (at === undefined || seenFrom.get(at) !== start) continue;
    parents.delete(at);
    cut.push(at);
  }
  return cut;
}

/**
 * A node without a valid `parent` becomes a child of the first node that lists it, unless that node is its descendant.
 */
function linkListed(nodes: ReadonlyMap<string, LinkedNode>, parents: Map<string, string>): void {
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

/** The root above a node. `tops` caches it for all nodes on the path, so that long chains are walked once. */
function topOf(id: string, parents: ReadonlyMap<string, string>, tops: Map<string, string>): string {
  const path: string[] = [];
  let at = id;
  for (let next; (next = tops.get(at) ?? parents.get(at)) !== undefined; at = next) path.push(at);
  for (const step of path) tops.set(step, at);
  return at;
}

/** The ordered children of each node; the roots under null. */
function orderedChildren(
  nodes: ReadonlyMap<string, LinkedNode>,
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
