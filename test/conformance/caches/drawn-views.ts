/** The data of a query that a frontend draws, from a cache or from a server. */
interface Edge {
  node: Record<string, unknown> | null;
}

/** @param data of any query of docs/graphql */
export function drawn(data: unknown) {
  const thread = data as { chat?: { activeBranch?: { messages?: { edges: Edge[] } } } | null } | null;
  return {
    /** The number of messages of a thread; 0 without one. */
    length: thread?.chat?.activeBranch?.messages?.edges.length ?? 0,
    /** Without the additions of caches: type names, cursors, and entries of deleted objects. */
    shapedAs: (model: unknown) => shapedAs(data, model),
  };
}

function shapedAs(data: unknown, model: unknown): unknown {
  if (Array.isArray(data) && Array.isArray(model)) {
    const items = data.filter((item: unknown) => !(isObject(item) && 'node' in item && item.node === null));
    return inOrder(items).map((item, index) => shapedAs(item, inOrder(model)[index] ?? (model[0] as unknown)));
  }
  if (!isObject(data) || !isObject(model)) return data;
  // Cursors matter only if there are more pages: a list that started empty has none.
  const isOfUse = (key: string) =>
    key === 'startCursor' ? model.hasPreviousPage === true : key === 'endCursor' ? model.hasNextPage === true : true;
  const keys = Object.keys(model).filter(isOfUse);
  return Object.fromEntries(keys.map((key) => [key, shapedAs(data[key], model[key])]));
}

/** Sorts chats by their newest change; other lists keep their order. */
function inOrder(items: readonly unknown[]): unknown[] {
  const key = (item: unknown) => {
    const { updatedAt = '', id = '' } = (isObject(item) && isObject(item.node) ? item.node : {}) as Record<
      string,
      string
    >;
    return updatedAt === '' ? '' : updatedAt + id;
  };
  return items.toSorted((a, b) => (key(a) < key(b) ? 1 : key(a) > key(b) ? -1 : 0));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
